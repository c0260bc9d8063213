import { randomBytes } from 'node:crypto';
import { formatAmount, isCurrency } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import { type Batch, type Charge, type Line, payerIsLate, type Refund } from '../../books';
import type { Reply } from '../../calls';
import { Refusal, type RefusalCode } from '../../refusal';

// The provider's side of the wire, written apart from our connector on purpose: a mistake there must not find its
// mirror image here.

type Fields = Record<string, unknown>;

const DAY_MS = 24 * 60 * 60_000;

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
  ['do_not_honour', 'DeclinedByBank'],
  ['insufficient_funds', 'NotEnoughMoney'],
  ['payer_refused', 'PayerRefused'],
  ['goods_not_received', 'GoodsNotReceived'],
]);

const LINE_TYPES: Record<Line['kind'], string> = {
  capture: 'Sale',
  refund: 'Refund',
  chargeback: 'Dispute',
  chargeback_reversal: 'DisputeReversal',
};

/** Where codes to scan lead: the processor's own merchant. */
export const MERCHANT = {
  guid: 'example.processor-f',
  merchantId: 'TILLWAY-SANDBOX',
  categoryCode: '5399',
  name: 'Sandbox merchant',
  city: 'Sandbox',
  country: 'IE',
};
const PAYEE = { vpa: 'sandbox.merchant@processorf', name: 'Sandbox merchant' };

/** Problem details (RFC 9457). */
export function problem(refusal: Refusal, stands: Fields = {}): Reply {
  const status = STATUS[refusal.code];
  const code = refusal.code.replace(/(^|_)([a-z])/g, (_all, _dash, letter: string) => letter.toUpperCase());
  return { status, body: { title: refusal.message, status, code, ...stands } };
}

export function reasonWord(reason: string): string {
  return REASONS.get(reason) ?? reason;
}

export function stateOf(charge: Charge): string {
  switch (charge.status) {
    case 'challenge':
    case 'waiting':
      return 'AwaitingPayer';
    case 'processing':
      return 'Processing';
    case 'authorized':
      return 'Reserved';
    case 'cancelled':
      return payerIsLate(charge) ? 'Lapsed' : 'Withdrawn';
    case 'declined':
    case 'authentication_failed':
      return 'Rejected';
    case 'captured':
      if (charge.chargedBackMinor > 0n) return 'Disputed';
      if (charge.refundedMinor >= charge.capturedMinor) return 'Refunded';
      if (charge.refundedMinor > 0n) return 'PartlyRefunded';
      return charge.settled ? 'PaidOut' : 'Succeeded';
  }
}

export function presentOrder(charge: Charge, page: string): Fields {
  const { currency, capturedMinor, details = {}, challenge } = charge;
  const { method, vpa, voucherNumber, orderNumber } = details;
  return {
    orderId: charge.id,
    merchantReference: charge.reference,
    state: stateOf(charge),
    amount: minor(charge.amountMinor, currency),
    captured: capturedMinor > 0n ? minor(capturedMinor, currency) : undefined,
    rejection: charge.reason && reasonWord(charge.reason),
    nextStep:
      charge.status === 'waiting'
        ? {
            method,
            page,
            deadline: challenge?.expiresAt,
            vpa,
            voucherNumber,
            upiUri: method === 'UpiIntent' || method === 'UpiCode' ? upiUri(charge) : undefined,
            merchant: method === 'EmvCode' ? { ...MERCHANT, orderNumber } : undefined,
          }
        : undefined,
    createdAt: charge.createdAt,
  };
}

/** A link that UPI apps open (NPCI, UPI Linking Specifications): payee, transaction reference, amount. */
function upiUri({ amountMinor, currency, details = {}, descriptor }: Charge): string {
  const parameters = [
    ['pa', PAYEE.vpa],
    ['pn', PAYEE.name],
    ['mc', MERCHANT.categoryCode],
    ['tr', details.orderNumber ?? ''],
    ['tn', descriptor ?? 'Payment'],
    ['am', formatAmount(amountMinor, currency)],
    ['cu', currency],
  ];
  return `upi://pay?${parameters.map(([name, value]) => `${name}=${encodeURIComponent(value!)}`).join('&')}`;
}

export function presentRefund(refund: Refund): Fields {
  return {
    refundId: refund.id,
    merchantReference: refund.reference,
    orderReference: refund.paymentReference,
    state: { pending: 'InProgress', refunded: 'Completed', declined: 'Failed' }[refund.status],
    amount: minor(refund.amountMinor, refund.currency),
  };
}

export function presentPayout(batch: Batch, lines: readonly Line[]): Fields {
  return {
    payoutId: batch.id,
    closedAt: batch.closedAt,
    entries: lines.map(({ id, kind, reference, paymentReference, amountMinor, feeMinor, currency }) => ({
      entryId: id,
      type: LINE_TYPES[kind],
      merchantReference: reference,
      orderReference: paymentReference,
      gross: minor(amountMinor, currency),
      fee: minor(feeMinor, currency),
    })),
  };
}

export function minor(amountMinor: bigint, currency: string): Fields {
  return { value: `${amountMinor}`, currency };
}

/** Reads `POST /f/v2/orders`. Throws Refusal. */
export function readOrder(fields: Fields, idempotencyKey: string): Order {
  const amount = readMinor(fields, 'amount');
  const method = membersOf(fields, 'method');
  const type = textOf(method, 'type');
  const rest = {
    reference: textOf(fields, 'merchantReference'),
    idempotencyKey,
    ...amount,
    capture: true,
    threeDS: 'none' as const,
    merchantInitiated: false,
    returnUrl: optionalTextOf(fields, 'returnUrl'),
    descriptor: optionalTextOf(fields, 'statementText'),
  };
  if (type.startsWith('Upi') && amount.currency !== 'INR') throw invalid('amount.currency');
  const orderNumber = randomBytes(10).toString('hex').toUpperCase();
  switch (type) {
    case 'Redirect':
      return { ...rest, kind: 'apm', details: { method: type } };
    case 'Voucher': {
      const voucherNumber = (randomBytes(7).readUIntBE(0, 6) % 10 ** 12).toString().padStart(12, '0');
      return { ...rest, kind: 'apm', payerTtlMs: 3 * DAY_MS, details: { method: type, voucherNumber } };
    }
    case 'UpiCollect': {
      const vpa = textOf(method, 'vpa');
      if (!/^[^@\s]{1,255}@[A-Za-z0-9.]{1,64}$/.test(vpa)) throw invalid('method.vpa');
      return { ...rest, kind: 'upi', details: { method: type, vpa } };
    }
    case 'UpiIntent':
    case 'UpiCode':
      return { ...rest, kind: 'upi', details: { method: type, orderNumber } };
    case 'EmvCode':
      return { ...rest, kind: 'qr', details: { method: type, orderNumber } };
    default:
      throw invalid('method.type');
  }
}

export function readMinor(fields: Fields, name: string): { amountMinor: bigint; currency: string } {
  const { value, currency } = membersOf(fields, name);
  if (typeof value !== 'string' || !/^[0-9]{1,15}$/.test(value)) throw invalid(`${name}.value`);
  if (typeof currency !== 'string' || !isCurrency(currency)) throw invalid(`${name}.currency`);
  return { amountMinor: BigInt(value), currency };
}

export function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || value === '' || value.length > 2_048) throw invalid(name);
  return value;
}

function optionalTextOf(fields: Fields, name: string): string | undefined {
  return fields[name] === undefined || fields[name] === '' ? undefined : textOf(fields, name);
}

function membersOf(fields: Fields, name: string): Fields {
  const value = fields[name];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(name);
  return value as Fields;
}

function invalid(name: string): Refusal {
  return new Refusal('invalid_request', `${name} is missing or not valid.`);
}
