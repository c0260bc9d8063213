import { currencyNumber, currencyOfNumber } from '../../../../domain/currency-number';
import type { Money } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import type { Reply } from '../../calls';
import { parametersOf } from '../../notice';
import { type Batch, type Charge, type Line, type Refund, type Standing, standingOf } from '../../records';
import { REFUSAL_STATUS, type Refusal, type RefusalCode } from '../../refusal';
import { invalid, textOf } from '../../request';

type Form = Record<string, string>;
type Fields = [name: string, value: string | undefined][];

const CSV = 'text/csv; charset=utf-8';

const STATUS: Record<RefusalCode, number> = { ...REFUSAL_STATUS, amount_exceeded: 400 };

const STATES: Record<Standing, string> = {
  challenge: 'ACS_PENDING',
  waiting: 'PAGE_PENDING',
  part_received: 'PAGE_PENDING',
  processing: 'IN_PROGRESS',
  authorized: 'APPROVED',
  cancelled: 'REVERSED',
  lapsed: 'REVERSED',
  declined: 'DENIED',
  authentication_failed: 'ACS_DENIED',
  captured: 'POSTED',
  settled: 'FUNDED',
  part_refunded: 'PART_CREDITED',
  refunded: 'CREDITED',
  charged_back: 'DISPUTED',
};

/** Field 39 of ISO 8583. */
const RESPONSE_CODES: ReadonlyMap<string | undefined, string> = new Map([
  ['do_not_honour', '05'],
  ['payer_refused', '17'],
  ['lost_card', '41'],
  ['insufficient_funds', '51'],
  ['expired_card', '54'],
  ['cvv_mismatch', 'N7'],
  ['authentication_required', '65'],
]);

const LINE_TYPES: Record<Line['kind'], string> = {
  capture: 'SALE',
  refund: 'CREDIT',
  chargeback: 'DISPUTE',
  chargeback_reversal: 'DISPUTE_REVERSAL',
};

const EXEMPTIONS: ReadonlyMap<string, Order['exemption']> = new Map([
  ['LVP', 'low_value'],
  ['MIT', 'merchant_initiated'],
]);

const AUTHENTICATION: ReadonlyMap<string, Order['threeDS']> = new Map([
  ['ISSUER', 'auto'],
  ['ALWAYS', 'required'],
  ['NEVER', 'none'],
]);

export function responseCode(reason: string | undefined): string {
  return RESPONSE_CODES.get(reason) ?? '05';
}

/** `amount` in minor units and `currency` as its number. */
export function numberedAmount(amountMinor: bigint, currency: string): Fields {
  return [
    ['amount', amountMinor.toString()],
    ['currency', numberOf(currency)],
  ];
}

function numberOf(currency: string): string {
  return currencyNumber(currency) ?? '999';
}

/** 2026-01-31T12:00:00.000Z as 20260131120000. */
export function compactTime(time: string): string {
  return time.slice(0, 19).replaceAll(/[-T:]/g, '');
}

export function formReply(status: number, fields: Fields): Reply {
  return { status, body: parametersOf(fields), contentType: 'application/x-www-form-urlencoded' };
}

export function refuse({ code, message }: Refusal, stands: Fields = []): Reply {
  return formReply(STATUS[code], [['error', code.toUpperCase()], ['error_text', message], ...stands]);
}

export function presentPayment(charge: Charge, pageUrl: string): Fields {
  const { challenge } = charge;
  const isOnPage = challenge && (charge.status === 'challenge' || charge.status === 'waiting');
  return [
    ['order_id', charge.reference],
    ['txn_id', charge.id],
    ['state', STATES[standingOf(charge)]],
    ...numberedAmount(charge.amountMinor, charge.currency),
    ['captured_amount', charge.capturedMinor > 0n ? charge.capturedMinor.toString() : undefined],
    ['credited_amount', charge.refundedMinor > 0n ? charge.refundedMinor.toString() : undefined],
    ['response_code', charge.status === 'declined' ? responseCode(charge.reason) : undefined],
    ['page_url', isOnPage ? pageUrl : undefined],
    ['page_expires', isOnPage ? expiryOf(challenge.expiresAt) : undefined],
    ['card', charge.card && `${charge.card.brand} ${charge.card.last4}`],
  ];
}

/** The wire knows whole seconds: the next one, so that a page that is open now is not written as closed. */
function expiryOf(time: string): string {
  return compactTime(new Date(Date.parse(time) + 999).toISOString());
}

export function presentRefund(refund: Refund): Fields {
  const state = { pending: 'CREDIT_PENDING', refunded: 'CREDITED', declined: 'CREDIT_DENIED' }[refund.status];
  return [
    ['credit_id', refund.reference],
    ['order_id', refund.paymentReference],
    ['txn_id', refund.id],
    ['state', state],
    ...numberedAmount(refund.amountMinor, refund.currency),
  ];
}

/** Head, movements, tail with their number. */
export function presentBatch(batch: Batch, lines: readonly Line[]): Reply {
  const rows = lines.map(({ id, kind, reference, paymentReference, amountMinor, currency, feeMinor }) =>
    ['D', id, LINE_TYPES[kind], reference, paymentReference, amountMinor, numberOf(currency), feeMinor].join(','),
  );
  return table([`H,${batch.id},${compactTime(batch.closedAt)}`, ...rows, `T,${rows.length}`]);
}

export function presentBatches({ batches, hasMore }: { batches: readonly Batch[]; hasMore: boolean }): Reply {
  const rows = batches.map(({ id, closedAt }) => `B,${id},${compactTime(closedAt)}`);
  return table(['H,BATCHES', ...rows, `T,${rows.length},${hasMore ? 'MORE' : 'END'}`]);
}

function table(rows: readonly string[]): Reply {
  return { status: 200, body: [...rows, ''].join('\r\n'), contentType: CSV };
}

/** Reads the form of a new payment. Throws Refusal. */
export function readOrder(fields: Form): Order {
  const product = textOf(fields, 'product');
  const action = textOf(fields, 'action');
  const threeDS = AUTHENTICATION.get(textOf(fields, 'three_ds'));
  if (product !== 'CARD' && product !== 'PAGE') throw invalid('product');
  if (action !== 'SALE' && action !== 'AUTH') throw invalid('action');
  if (!threeDS) throw invalid('three_ds');
  const exemption = EXEMPTIONS.get(fields.sca_exemption ?? '');
  if (fields.sca_exemption && !exemption) throw invalid('sca_exemption');
  return {
    reference: textOf(fields, 'order_id'),
    idempotencyKey: textOf(fields, 'request_id'),
    ...readAmount(fields),
    capture: action === 'SALE',
    kind: product === 'CARD' ? 'card' : 'hosted_page',
    card: product === 'CARD' ? readCard(fields) : undefined,
    threeDS,
    exemption,
    merchantInitiated: fields.credential === 'SUBSEQUENT',
    returnUrl: fields.return_url,
    descriptor: fields.statement,
  };
}

function readCard(fields: Form): NonNullable<Order['card']> {
  const expiry = /^([0-9]{2})(0[1-9]|1[0-2])$/.exec(textOf(fields, 'expiry'));
  if (!expiry) throw invalid('expiry');
  const [, year, expiryMonth] = expiry as unknown as [string, string, string];
  return { number: textOf(fields, 'pan'), expiryMonth, expiryYear: `20${year}` };
}

export function readAmount(fields: Form): Money {
  const amount = textOf(fields, 'amount');
  if (!/^[0-9]{1,18}$/.test(amount)) throw invalid('amount');
  const currency = currencyOfNumber(textOf(fields, 'currency'));
  if (!currency) throw invalid('currency');
  return { amountMinor: BigInt(amount), currency };
}
