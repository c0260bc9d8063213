import type { Context } from 'koa';
import { formatAmount, type Money } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import type { Reply } from '../../calls';
import { type Batch, type Charge, type Line, type Refund, type Standing, standingOf } from '../../records';
import { REFUSAL_STATUS, type Refusal, type RefusalCode } from '../../refusal';
import { type Fields, invalid, keyOf, membersOf, moneyOf, textOf } from '../../request';

const STATUS: Record<RefusalCode, number> = { ...REFUSAL_STATUS, invalid_request: 422, invalid_card: 422 };

const STATUSES: Record<Exclude<Standing, 'processing'>, string> = {
  challenge: 'in_progress',
  waiting: 'in_progress',
  part_received: 'in_progress',
  authorized: 'held',
  cancelled: 'revoked',
  lapsed: 'revoked',
  declined: 'rejected',
  authentication_failed: 'rejected',
  captured: 'booked',
  settled: 'paid_out',
  part_refunded: 'credited_in_part',
  refunded: 'credited',
  charged_back: 'disputed',
};

/** What cards are declined for (ISO 8583), and what debits are (ISO 20022). */
const CARD_REASONS: ReadonlyMap<string, string> = new Map([
  ['do_not_honour', '05'],
  ['lost_card', '41'],
  ['insufficient_funds', '51'],
  ['expired_card', '54'],
  ['cvv_mismatch', 'N7'],
  ['goods_not_received', '4855'],
]);
const DEBIT_REASONS: ReadonlyMap<string, string> = new Map([
  ['do_not_honour', 'AG01'],
  ['insufficient_funds', 'AM04'],
  ['account_closed', 'AC04'],
  ['no_mandate', 'MD01'],
  ['payer_refused', 'MS02'],
  ['refund_asked_by_debtor', 'MD06'],
]);

/** How far a collection has come, by the steps it has done. */
const COLLECTION_STEPS = ['mandate_accepted', 'pre_notified', 'submitted'] as const;

/** Pre-notified, submitted, collected. */
export const COLLECTION = { steps: COLLECTION_STEPS.length, everyMs: 1_000 };

const ENTRY_TYPES: Record<Line['kind'], string> = {
  capture: 'payment',
  refund: 'credit',
  chargeback: 'return',
  chargeback_reversal: 'return_reversal',
};

/** Accounts whose bank does something else than pay, in the sandbox. */
const COLLECTIONS: ReadonlyMap<string, NonNullable<Charge['collection']>> = new Map([
  ['DE25370400440000000095', 'insufficient_funds'],
  ['DE57370400440000000004', 'account_closed'],
  ['DE41370400440000000001', 'no_mandate'],
  ['DE03370400440000000006', 'returned'],
]);

export function refuse({ code, message }: Refusal, stands: Fields = {}): Reply {
  return { status: STATUS[code], body: { error: { code, message }, ...stands } };
}

export function reasonCode(reason: string, kind: Charge['kind']): string {
  const known = kind === 'direct_debit' ? DEBIT_REASONS.get(reason) : CARD_REASONS.get(reason);
  return known ?? (kind === 'direct_debit' ? 'MS03' : '05');
}

/** The step of a collection: its name from what it has done so far, or from a notice's `1 of 3`. */
export function collectionStep(done: number | string): string {
  return COLLECTION_STEPS[Number.parseInt(`${done}`, 10)] ?? 'submitted';
}

function statusOf(charge: Charge): string {
  const standing = standingOf(charge);
  if (standing === 'processing') return collectionStep(charge.steps?.done ?? 0);
  return standing === 'charged_back' && charge.kind === 'direct_debit' ? 'returned' : STATUSES[standing];
}

export function presentPayment(charge: Charge): Fields {
  const { currency, capturedMinor, reason, details } = charge;
  return {
    payment: {
      paymentId: charge.id,
      endToEndId: charge.reference,
      status: statusOf(charge),
      amount: amount(charge.amountMinor, currency),
      booked: capturedMinor > 0n ? amount(capturedMinor, currency) : undefined,
      reasonCode: reason && reasonCode(reason, charge.kind),
      mandate: details,
      createdAt: charge.createdAt,
    },
  };
}

export function presentRefund(refund: Refund): Fields {
  return {
    creditTransfer: {
      transferId: refund.id,
      creditId: refund.reference,
      endToEndId: refund.paymentReference,
      status: { pending: 'PDNG', refunded: 'ACSC', declined: 'RJCT' }[refund.status],
      amount: amount(refund.amountMinor, refund.currency),
    },
  };
}

export function presentBatch(batch: Batch, lines: readonly Line[]): Fields {
  return {
    statement: {
      statementId: batch.id,
      closedAt: batch.closedAt,
      entries: lines.map((line) => ({
        entryId: line.id,
        type: ENTRY_TYPES[line.kind],
        endToEndId: line.paymentReference,
        creditId: line.kind === 'refund' ? line.reference : undefined,
        amount: amount(line.amountMinor, line.currency),
        charges: amount(line.feeMinor, line.currency),
      })),
    },
  };
}

export function presentBatches({ batches, hasMore }: { batches: Batch[]; hasMore: boolean }): Fields {
  return { statements: batches.map(({ id }) => ({ statementId: id })), next: hasMore };
}

export function amount(amountMinor: bigint, currency: string): Fields {
  return { value: formatAmount(amountMinor, currency), ccy: currency };
}

/** Reads `POST /e/api/payments`. Throws Refusal. */
export function readOrder(fields: Fields, ctx: Context): Order {
  const rest = {
    reference: textOf(fields, 'endToEndId'),
    idempotencyKey: keyOf(ctx),
    ...readAmount(fields),
    threeDS: 'none' as const,
    merchantInitiated: false,
    descriptor: fields.statementText === undefined ? undefined : textOf(fields, 'statementText'),
  };
  if (fields.networkToken !== undefined) {
    const token = membersOf(fields, 'networkToken');
    const expires = /^([0-9]{4})-(0[1-9]|1[0-2])$/.exec(textOf(token, 'expires'));
    if (!expires) throw invalid('networkToken.expires');
    const card = { number: textOf(token, 'number'), expiryMonth: expires[2]!, expiryYear: expires[1]! };
    return { ...rest, kind: 'wallet', capture: fields.book === true, card };
  }
  // A collection is booked when it is collected: nothing can be held on somebody's account.
  if (fields.book !== true) throw invalid('book');
  return { ...rest, kind: 'direct_debit', capture: true, ...readCollection(membersOf(fields, 'collection')) };
}

/** Of the account, only what cannot be debited is kept. */
function readCollection(collection: Fields): Pick<Order, 'details' | 'collection'> {
  const debtor = membersOf(collection, 'debtor');
  const iban = textOf(debtor, 'iban');
  const sequence = textOf(collection, 'sequence');
  textOf(debtor, 'name');
  if (!isIban(iban)) throw invalid('collection.debtor.iban');
  if (sequence !== 'FRST' && sequence !== 'RCUR') throw invalid('collection.sequence');
  if (Number.isNaN(Date.parse(textOf(collection, 'signedAt')))) throw invalid('collection.signedAt');
  const dueAt = new Date(Date.now() + COLLECTION.steps * COLLECTION.everyMs).toISOString();
  const details = { mandateId: textOf(collection, 'mandateId'), sequence, accountEnding: iban.slice(-4), dueAt };
  return { details, collection: COLLECTIONS.get(iban) };
}

export function readAmount(fields: Fields): Money {
  const { value, ccy } = membersOf(fields, 'amount');
  return moneyOf(value, ccy, { amount: 'amount.value', currency: 'amount.ccy' });
}

/** ISO 13616: country, check digits that make the whole 1 modulo 97, account. */
function isIban(text: string): boolean {
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(text)) return false;
  const digits = (text.slice(4) + text.slice(0, 4)).replace(/[A-Z]/g, (letter) => `${letter.charCodeAt(0) - 55}`);
  return BigInt(digits) % 97n === 1n;
}
