import { formatAmount, isCurrency, parseAmount } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import { type Batch, type Charge, type Line, payerIsLate, type Refund } from '../../books';
import type { Reply } from '../../calls';
import { Refusal, type RefusalCode } from '../../refusal';
import { assetDue, newQuote } from './quote';

// The provider's side of the wire, written apart from our connector on purpose: a mistake there must not find its
// mirror image here.

type Fields = Record<string, unknown>;

/** Confirmations until the money is the merchant's, and the sandbox's time for one. */
export const CONFIRMATIONS = { steps: 2, everyMs: 1_000 };

const STATUS: Record<RefusalCode, number> = {
  invalid_request: 400,
  invalid_card: 400,
  unauthorized: 401,
  not_found: 404,
  invalid_state: 409,
  amount_exceeded: 422,
  duplicate_reference: 409,
  idempotency_conflict: 409,
  too_large: 413,
};

const REASONS: ReadonlyMap<string, string> = new Map([
  ['do_not_honour', 'declined'],
  ['insufficient_funds', 'no_funds'],
  ['payer_refused', 'payer'],
  ['goods_not_received', 'not_delivered'],
]);

const ENTRY_KINDS: Record<Line['kind'], string> = {
  capture: 'credit',
  refund: 'return',
  chargeback: 'clawback',
  chargeback_reversal: 'clawback_reversal',
};

export function refusalReply({ code, message }: Refusal, stands: Fields = {}): Reply {
  return { status: STATUS[code], body: { error: code.toUpperCase(), message, ...stands } };
}

export function reasonWord(reason: string): string {
  return REASONS.get(reason) ?? reason;
}

export function invoiceStatus(charge: Charge): string {
  switch (charge.status) {
    case 'challenge':
    case 'waiting':
      return (charge.receivedMinor ?? 0n) > 0n ? 'underpaid' : 'open';
    case 'processing':
      return 'confirming';
    case 'authorized':
      return 'accepted';
    case 'cancelled':
      return payerIsLate(charge) ? 'expired' : 'closed';
    case 'declined':
    case 'authentication_failed':
      return 'rejected';
    case 'captured':
      if (charge.chargedBackMinor > 0n) return 'clawed_back';
      if (charge.refundedMinor >= charge.capturedMinor) return 'returned';
      if (charge.refundedMinor > 0n) return 'partly_returned';
      return charge.settled ? 'paid_out' : 'confirmed';
  }
}

export function presentInvoice(charge: Charge, page: string): Fields {
  const { currency, capturedMinor, receivedMinor = 0n } = charge;
  return {
    id: charge.id,
    merchant_ref: charge.reference,
    status: invoiceStatus(charge),
    price: amount(charge.amountMinor, currency),
    received: receivedMinor > 0n ? amount(receivedMinor, currency) : undefined,
    credited: capturedMinor > 0n ? amount(capturedMinor, currency) : undefined,
    quote: charge.status === 'waiting' ? presentQuote(charge, page) : undefined,
    confirmations: charge.status === 'processing' ? presentConfirmations(charge) : undefined,
    reason: charge.reason && reasonWord(charge.reason),
    created_at: charge.createdAt,
  };
}

function presentQuote({ details, amountMinor, receivedMinor = 0n, challenge }: Charge, page: string): Fields {
  const { asset = '', address = '', rate = '' } = details ?? {};
  const { assetAmount, uri } = assetDue({ asset, address, rate }, amountMinor - receivedMinor);
  return { asset, asset_amount: assetAmount, rate, address, uri, page, valid_until: challenge?.expiresAt };
}

function presentConfirmations({ steps }: Charge): Fields {
  const { done, of } = steps ?? { done: 0, of: CONFIRMATIONS.steps };
  const expectedBy = new Date(Date.now() + (of - done) * CONFIRMATIONS.everyMs);
  return { seen: done, needed: of, expected_by: expectedBy.toISOString() };
}

export function presentReturn(refund: Refund): Fields {
  return {
    id: refund.id,
    merchant_ref: refund.reference,
    invoice_ref: refund.paymentReference,
    status: { pending: 'queued', refunded: 'sent', declined: 'refused' }[refund.status],
    amount: amount(refund.amountMinor, refund.currency),
  };
}

export function presentPayout(batch: Batch, lines: readonly Line[]): Fields {
  return {
    id: batch.id,
    closed_at: batch.closedAt,
    entries: lines.map(({ id, kind, reference, paymentReference, amountMinor, feeMinor, currency }) => ({
      id,
      kind: ENTRY_KINDS[kind],
      merchant_ref: reference,
      invoice_ref: paymentReference,
      amount: amount(amountMinor, currency),
      fee: amount(feeMinor, currency),
    })),
  };
}

export function amount(amountMinor: bigint, currency: string): Fields {
  return { amount: formatAmount(amountMinor, currency), currency };
}

/** Reads `POST /h/api/invoices`, and quotes. Throws Refusal. */
export function readInvoice(fields: Fields): Order {
  const price = readAmount(fields, 'price');
  const quote = newQuote(textOf(fields, 'asset'), price.currency);
  if (!quote) throw invalid('asset');
  return {
    reference: textOf(fields, 'merchant_ref'),
    idempotencyKey: textOf(fields, 'request_id'),
    ...price,
    capture: true,
    kind: 'crypto',
    threeDS: 'none',
    merchantInitiated: false,
    returnUrl: optionalTextOf(fields, 'return_url'),
    descriptor: optionalTextOf(fields, 'memo'),
    details: { ...quote, assetAmount: assetDue(quote, price.amountMinor).assetAmount },
  };
}

export function readAmount(fields: Fields, name: string): { amountMinor: bigint; currency: string } {
  const value = fields[name];
  if (typeof value !== 'object' || value === null) throw invalid(name);
  const { amount: text, currency } = value as Fields;
  if (typeof text !== 'string' || typeof currency !== 'string' || !isCurrency(currency)) throw invalid(name);
  try {
    return { amountMinor: parseAmount(text, currency), currency };
  } catch {
    throw invalid(name);
  }
}

export function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || value === '' || value.length > 2_048) throw invalid(name);
  return value;
}

function optionalTextOf(fields: Fields, name: string): string | undefined {
  return fields[name] === undefined || fields[name] === '' ? undefined : textOf(fields, name);
}

function invalid(name: string): Refusal {
  return new Refusal('invalid_request', `${name} is missing or not valid.`);
}
