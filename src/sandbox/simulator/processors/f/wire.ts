import { randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import { encodeMerchantCode } from '../../../../domain/emv-qr';
import { formatAmount, isCurrency, type Money } from '../../../../domain/money';
import type { Order } from '../../acquirer';
import type { Reply } from '../../calls';
import type { PayerView } from '../../payer-pages/view';
import { type Batch, type Charge, type Line, type Refund, type Standing, standingOf } from '../../records';
import { REFUSAL_STATUS, type Refusal } from '../../refusal';
import { type Fields, invalid, keyOf, membersOf, optionalTextOf, textOf } from '../../request';

const DAY_MS = 24 * 60 * 60_000;

const STATES: Record<Standing, string> = {
  challenge: 'AwaitingPayer',
  waiting: 'AwaitingPayer',
  part_received: 'AwaitingPayer',
  processing: 'Processing',
  authorized: 'Reserved',
  cancelled: 'Withdrawn',
  lapsed: 'Lapsed',
  declined: 'Rejected',
  authentication_failed: 'Rejected',
  captured: 'Succeeded',
  settled: 'PaidOut',
  part_refunded: 'PartlyRefunded',
  refunded: 'Refunded',
  charged_back: 'Disputed',
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
export function refuse(refusal: Refusal, stands: Fields = {}): Reply {
  const status = REFUSAL_STATUS[refusal.code];
  const code = refusal.code.replace(/(^|_)([a-z])/g, (_all, _dash, letter: string) => letter.toUpperCase());
  return { status, body: { title: refusal.message, status, code, ...stands } };
}

export function reasonWord(reason: string): string {
  return REASONS.get(reason) ?? reason;
}

export function presentPayment(charge: Charge, page: string): Fields {
  const { currency, capturedMinor, details = {}, challenge } = charge;
  const { method, vpa, voucherNumber, orderNumber } = details;
  const nextStep = {
    method,
    page,
    deadline: challenge?.expiresAt,
    vpa,
    voucherNumber,
    upiUri: method === 'UpiIntent' || method === 'UpiCode' ? upiUri(charge) : undefined,
    merchant: method === 'EmvCode' ? { ...MERCHANT, orderNumber } : undefined,
  };
  return {
    order: {
      orderId: charge.id,
      merchantReference: charge.reference,
      state: STATES[standingOf(charge)],
      amount: minor(charge.amountMinor, currency),
      captured: capturedMinor > 0n ? minor(capturedMinor, currency) : undefined,
      rejection: charge.reason && reasonWord(charge.reason),
      nextStep: charge.status === 'waiting' ? nextStep : undefined,
      createdAt: charge.createdAt,
    },
  };
}

export function viewOf(charge: Charge): PayerView {
  const { method, vpa, voucherNumber } = charge.details ?? {};
  return {
    task: voucherNumber ? 'voucher' : method === 'UpiCode' ? 'qr' : undefined,
    facts: [
      ['upiAddress', vpa],
      ['voucherNumber', voucherNumber],
    ],
    code: method === 'UpiCode' ? upiUri(charge) : method === 'EmvCode' ? merchantCode(charge) : undefined,
    payee: MERCHANT.name,
  };
}

/** Undefined for what does not fit into a code. */
function merchantCode({ amountMinor, currency, details = {} }: Charge): string | undefined {
  const { guid, merchantId, categoryCode, name: merchantName, city: merchantCity, country: countryCode } = MERCHANT;
  const account = { guid, merchantId };
  const money = { amountMinor, currency };
  const reference = details.orderNumber ?? '';
  try {
    return encodeMerchantCode({ account, categoryCode, merchantName, merchantCity, countryCode, money, reference });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
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
    refund: {
      refundId: refund.id,
      merchantReference: refund.reference,
      orderReference: refund.paymentReference,
      state: { pending: 'InProgress', refunded: 'Completed', declined: 'Failed' }[refund.status],
      amount: minor(refund.amountMinor, refund.currency),
    },
  };
}

export function presentBatches({ batches, hasMore }: { batches: Batch[]; hasMore: boolean }): Fields {
  return { payoutIds: batches.map(({ id }) => id), more: hasMore };
}

export function presentBatch(batch: Batch, lines: readonly Line[]): Fields {
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
export function readOrder(fields: Fields, ctx: Context): Order {
  const amount = readAmount(fields);
  const method = membersOf(fields, 'method');
  const type = textOf(method, 'type');
  const rest = {
    reference: textOf(fields, 'merchantReference'),
    idempotencyKey: keyOf(ctx),
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

export function readAmount(fields: Fields): Money {
  const { value, currency } = membersOf(fields, 'amount');
  if (typeof value !== 'string' || !/^[0-9]{1,15}$/.test(value)) throw invalid('amount.value');
  if (typeof currency !== 'string' || !isCurrency(currency)) throw invalid('amount.currency');
  return { amountMinor: BigInt(value), currency };
}
