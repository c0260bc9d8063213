import { formatAmount, type Money } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import type { Reply } from '../../calls';
import {
  type Batch,
  type Charge,
  type Dispute,
  type Line,
  type Refund,
  type Standing,
  standingOf,
} from '../../records';
import type { Refusal, RefusalCode } from '../../refusal';
import { invalid, moneyOf, textOf } from '../../request';

export type Form = Record<string, string>;

export const STATE = {
  page: 10,
  secured: 11,
  held: 20,
  paid: 30,
  settled: 31,
  partlyRefunded: 32,
  refunded: 33,
  disputed: 40,
  disputeWon: 41,
  disputeLost: 42,
  represented: 43,
  declined: 50,
  notSecured: 51,
  cancelled: 60,
  review: 70,
  refundPending: 80,
  refundDone: 81,
  refundFailed: 82,
  batchClosed: 90,
} as const;

const STATES: Record<Standing, number> = {
  challenge: STATE.page,
  waiting: STATE.page,
  part_received: STATE.page,
  processing: STATE.review,
  authorized: STATE.held,
  cancelled: STATE.cancelled,
  lapsed: STATE.cancelled,
  declined: STATE.declined,
  authentication_failed: STATE.notSecured,
  captured: STATE.paid,
  settled: STATE.settled,
  part_refunded: STATE.partlyRefunded,
  refunded: STATE.refunded,
  charged_back: STATE.disputed,
};

const CODES: Record<RefusalCode, string> = {
  invalid_request: '40',
  invalid_card: '40',
  amount_exceeded: '40',
  too_large: '40',
  unauthorized: '41',
  not_found: '44',
  invalid_state: '49',
  duplicate_reference: '49',
  idempotency_conflict: '47',
};

const REASONS: ReadonlyMap<string, string> = new Map([
  ['do_not_honour', 'D05'],
  ['payer_refused', 'D05'],
  ['lost_card', 'D41'],
  ['insufficient_funds', 'D51'],
  ['expired_card', 'D54'],
  ['cvv_mismatch', 'D82'],
  ['authentication_required', 'D65'],
  ['goods_not_received', 'C30'],
]);

const EXEMPT: ReadonlyMap<string, Order['exemption']> = new Map([
  ['low', 'low_value'],
  ['merchant', 'merchant_initiated'],
]);

const SECURE: ReadonlyMap<string, Order['threeDS']> = new Map([
  ['0', 'none'],
  ['1', 'auto'],
  ['2', 'required'],
]);

const DISPUTE_STATES: Record<Dispute['stage'], number> = {
  open: STATE.disputed,
  evidence_submitted: STATE.disputed,
  presented: STATE.disputed,
  second_presentment: STATE.represented,
  won: STATE.disputeWon,
  lost: STATE.disputeLost,
};

const LINE_STATES: Record<Line['kind'], number> = {
  capture: STATE.paid,
  refund: STATE.refundDone,
  chargeback: STATE.disputed,
  chargeback_reversal: STATE.disputeWon,
};

export function reasonCode(reason: string): string {
  return REASONS.get(reason) ?? 'D00';
}

export function totalText(amountMinor: bigint, currency: string): string {
  return `${formatAmount(amountMinor, currency)} ${currency}`;
}

/** Whatever it says, it says it with 200. */
export function refuse({ code, message }: Refusal, stands: object = {}): Reply {
  return { status: 200, body: { code: CODES[code], text: message, ...stands } };
}

export function done(what: object): Reply {
  return { status: 200, body: { code: '00', ...what } };
}

export function presentPayment(charge: Charge, dispute: Dispute | undefined, pageUrl: string): object {
  const { currency, challenge } = charge;
  const total = (amountMinor: bigint) => (amountMinor > 0n ? totalText(amountMinor, currency) : undefined);
  return {
    payment: {
      id: charge.id,
      order: charge.reference,
      state: String(STATES[standingOf(charge)]),
      total: totalText(charge.amountMinor, currency),
      paid: total(charge.capturedMinor),
      returned: total(charge.refundedMinor),
      reason: charge.status === 'declined' && charge.reason ? reasonCode(charge.reason) : undefined,
      page: challenge && charge.status === 'challenge' ? { url: pageUrl, until: challenge.expiresAt } : undefined,
      dispute: dispute && {
        case: dispute.id,
        state: String(DISPUTE_STATES[dispute.stage]),
        total: totalText(dispute.amountMinor, dispute.currency),
        reason: reasonCode(dispute.reason),
      },
    },
  };
}

export function presentRefund(refund: Refund): object {
  const state = { pending: STATE.refundPending, refunded: STATE.refundDone, declined: STATE.refundFailed };
  return {
    refund: {
      id: refund.id,
      order: refund.paymentReference,
      refund: refund.reference,
      state: String(state[refund.status]),
      total: totalText(refund.amountMinor, refund.currency),
    },
  };
}

export function presentBatch(batch: Batch, lines: readonly Line[]): object {
  const rows = lines.map(({ id, kind, paymentReference, reference, amountMinor, feeMinor, currency }) => [
    id,
    String(LINE_STATES[kind]),
    paymentReference,
    reference,
    totalText(amountMinor, currency),
    totalText(feeMinor, currency),
  ]);
  return { batch: { id: batch.id, closed: batch.closedAt, rows } };
}

/** Reads `PAY` and `HOLD`. Throws Refusal. */
export function readOrder(form: Form): Order {
  const till = /^(0[1-9]|1[0-2])\/([0-9]{4})$/.exec(textOf(form, 'cc_till'));
  const threeDS = SECURE.get(textOf(form, 'secure'));
  if (!till) throw invalid('cc_till');
  if (!threeDS) throw invalid('secure');
  const exemption = EXEMPT.get(form.exempt ?? '');
  if (form.exempt && !exemption) throw invalid('exempt');
  return {
    reference: textOf(form, 'order'),
    idempotencyKey: textOf(form, 'nonce'),
    ...readAmount(form),
    capture: form.op === 'PAY',
    kind: 'card',
    card: { number: textOf(form, 'cc'), expiryMonth: till[1]!, expiryYear: till[2]! },
    threeDS,
    exemption,
    merchantInitiated: form.repeat === 'next',
    returnUrl: form.back,
    descriptor: form.label,
  };
}

export function readAmount(form: Form): Money {
  const [amount, currency] = textOf(form, 'total').split(' ');
  return moneyOf(amount, currency, { amount: 'total' });
}
