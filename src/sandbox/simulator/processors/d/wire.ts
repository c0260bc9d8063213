import type { Context } from 'koa';
import { formatAmount, type Money } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import type { Reply } from '../../calls';
import { type Batch, type Charge, type Line, type Refund, type Standing, standingOf } from '../../records';
import { REFUSAL_STATUS, type Refusal } from '../../refusal';
import { type Fields, invalid, keyOf, moneyOf, optionalTextOf, textOf } from '../../request';

const STATUSES: Record<Standing, string> = {
  challenge: 'page-open',
  waiting: 'page-open',
  part_received: 'page-open',
  processing: 'working',
  authorized: 'held',
  cancelled: 'released',
  lapsed: 'page-closed',
  declined: 'refused',
  authentication_failed: 'refused',
  captured: 'charged',
  settled: 'paid-out',
  part_refunded: 'part-refunded',
  refunded: 'refunded',
  charged_back: 'disputed',
};

const RETURN_CODES: ReadonlyMap<string | undefined, string> = new Map([
  ['do_not_honour', '004'],
  ['insufficient_funds', '014'],
  ['payer_refused', '099'],
]);

const LINE_KINDS: Record<Line['kind'], string> = {
  capture: 'charge',
  refund: 'refund',
  chargeback: 'dispute',
  chargeback_reversal: 'dispute-return',
};

const OFFSET_MS = 2 * 60 * 60_000;

export function returnCode(reason: string | undefined): string {
  return RETURN_CODES.get(reason) ?? '004';
}

export function price(amountMinor: bigint, currency: string): string {
  return `${formatAmount(amountMinor, currency)} ${currency}`;
}

/** 2026-01-31T12:00:00.000Z in the processor's own time: 2026-01-31T14:00:00+02:00. */
export function localTime(time: string): string {
  return `${new Date(Date.parse(time) + OFFSET_MS).toISOString().slice(0, 19)}+02:00`;
}

export function refuse(refusal: Refusal, stands: Fields = {}): Reply {
  const error = { name: refusal.code.replaceAll('_', '-'), text: refusal.message };
  return { status: REFUSAL_STATUS[refusal.code], body: { error, ...stands } };
}

export function presentPayment(charge: Charge, pageUrl: string): Fields {
  const { currency, capturedMinor, refundedMinor, challenge } = charge;
  return {
    transaction: {
      id: charge.id,
      order: charge.reference,
      status: STATUSES[standingOf(charge)],
      total: price(charge.amountMinor, currency),
      charged: capturedMinor > 0n ? price(capturedMinor, currency) : undefined,
      refunded: refundedMinor > 0n ? price(refundedMinor, currency) : undefined,
      return_code: charge.status === 'declined' ? returnCode(charge.reason) : undefined,
      page:
        charge.status === 'waiting' && challenge
          ? { url: pageUrl, open_until: closingTime(challenge.expiresAt) }
          : undefined,
      opened: localTime(charge.createdAt),
    },
  };
}

/** The wire knows whole seconds: the next one, so that a page that is open now is not written as closed. */
function closingTime(time: string): string {
  return localTime(new Date(Date.parse(time) + 999).toISOString());
}

export function presentRefund(refund: Refund): Fields {
  return {
    refund: {
      id: refund.id,
      refund: refund.reference,
      order: refund.paymentReference,
      status: { pending: 'refund-working', refunded: 'refunded', declined: 'refund-refuse' }[refund.status],
      total: price(refund.amountMinor, refund.currency),
    },
  };
}

export function presentBatch(batch: Batch, lines: readonly Line[]): Fields {
  return {
    statement: batch.id,
    closed: localTime(batch.closedAt),
    lines: lines.map(({ id, kind, reference, paymentReference, amountMinor, feeMinor, currency }) => ({
      line: id,
      kind: LINE_KINDS[kind],
      reference,
      order: paymentReference,
      total: price(amountMinor, currency),
      commission: price(feeMinor, currency),
    })),
  };
}

export function presentBatches({ batches, hasMore }: { batches: readonly Batch[]; hasMore: boolean }): Fields {
  return {
    statements: batches.map(({ id, closedAt }) => ({ statement: id, closed: localTime(closedAt) })),
    last_page: !hasMore,
  };
}

/** Reads `POST /d/api/pages`. Throws Refusal. */
export function readOrder(fields: Fields, ctx: Context): Order {
  const mode = textOf(fields, 'mode');
  if (mode !== 'charge' && mode !== 'hold') throw invalid('mode');
  return {
    reference: textOf(fields, 'order'),
    idempotencyKey: keyOf(ctx),
    ...readAmount(fields),
    capture: mode === 'charge',
    kind: 'hosted_page',
    threeDS: 'none',
    merchantInitiated: false,
    returnUrl: optionalTextOf(fields, 'return_to'),
    descriptor: optionalTextOf(fields, 'statement_text'),
  };
}

export function readAmount(fields: Fields): Money {
  const [amount, currency] = textOf(fields, 'total').split(' ');
  return moneyOf(amount, currency, { amount: 'total' });
}
