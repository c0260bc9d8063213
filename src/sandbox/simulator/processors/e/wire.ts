import { formatAmount, isCurrency, parseAmount } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import type { Batch, Charge, Line, Refund } from '../../books';
import type { Reply } from '../../calls';
import { Refusal, type RefusalCode } from '../../refusal';
import { collectionFrom, isIban } from './iban';

// The provider's side of the wire, written apart from our connector on purpose: a mistake there must not find its
// mirror image here.

type Fields = Record<string, unknown>;

const STATUS: Record<RefusalCode, number> = {
  invalid_request: 422,
  invalid_card: 422,
  unauthorized: 401,
  not_found: 404,
  invalid_state: 409,
  amount_exceeded: 422,
  duplicate_reference: 409,
  idempotency_conflict: 409,
  too_large: 413,
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

export function refusalReply({ code, message }: Refusal, stands: Fields = {}): Reply {
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
  switch (charge.status) {
    case 'challenge':
    case 'waiting':
      return 'in_progress';
    case 'processing':
      return collectionStep(charge.steps?.done ?? 0);
    case 'authorized':
      return 'held';
    case 'cancelled':
      return 'revoked';
    case 'declined':
    case 'authentication_failed':
      return 'rejected';
    case 'captured':
      if (charge.chargedBackMinor > 0n) return charge.kind === 'direct_debit' ? 'returned' : 'disputed';
      if (charge.refundedMinor >= charge.capturedMinor) return 'credited';
      if (charge.refundedMinor > 0n) return 'credited_in_part';
      return charge.settled ? 'paid_out' : 'booked';
  }
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

export function presentCredit(refund: Refund): Fields {
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

export function presentStatement(batch: Batch, lines: readonly Line[]): Fields {
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

export function amount(amountMinor: bigint, currency: string): Fields {
  return { value: formatAmount(amountMinor, currency), ccy: currency };
}

/** Reads `POST /e/api/payments`. Throws Refusal. */
export function readOrder(fields: Fields, idempotencyKey: string): Order {
  const rest = {
    reference: textOf(fields, 'endToEndId'),
    idempotencyKey,
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
  return { details, collection: collectionFrom(iban) };
}

export function readAmount(fields: Fields): { amountMinor: bigint; currency: string } {
  const { value, ccy } = membersOf(fields, 'amount');
  if (typeof ccy !== 'string' || !isCurrency(ccy)) throw invalid('amount.ccy');
  try {
    if (typeof value === 'string') return { amountMinor: parseAmount(value, ccy), currency: ccy };
  } catch {
    // Refused below, as what is no text is.
  }
  throw invalid('amount.value');
}

export function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || value === '' || value.length > 2_048) throw invalid(name);
  return value;
}

function membersOf(fields: Fields, name: string): Fields {
  const value = fields[name];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(name);
  return value as Fields;
}

function invalid(name: string): Refusal {
  return new Refusal('invalid_request', `${name} is missing or not valid.`);
}
