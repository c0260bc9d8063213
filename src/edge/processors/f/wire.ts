import type { AuthorizeRequest, Instrument, SettlementLine, SettlementReport } from '../../../domain/connector';
import { isCurrency, type Money } from '../../../domain/money';
import { asObject, type Fields, isText, isTime } from '../reading';

/** A payment as processor F describes it: an order. Amounts are whole minor units, as text. */
export interface OrderWire {
  orderId: string;
  reference: string;
  state: string;
  money: Money;
  /** Absent until something was captured. */
  captured?: Money;
  rejection?: string;
  nextStep?: NextStep;
}

/** What the payer has to do, in the form of the order's method. */
export interface NextStep {
  method: string;
  page: string;
  deadline: string;
  /** A link or code of UPI. */
  upiUri?: string;
  vpa?: string;
  voucherNumber?: string;
  /** What a code that the payer scans has to say, besides the amount. */
  merchant?: {
    guid: string;
    merchantId: string;
    categoryCode: string;
    name: string;
    city: string;
    country: string;
    orderNumber: string;
  };
}

/** A refund as processor F describes it. */
export interface RefundWire {
  refundId: string;
  reference: string;
  state: string;
  money: Money;
}

const LINE_KINDS: ReadonlyMap<string, SettlementLine['kind']> = new Map([
  ['Sale', 'capture'],
  ['Refund', 'refund'],
  ['Dispute', 'chargeback'],
  ['DisputeReversal', 'chargeback_reversal'],
]);

/** Body of `POST /v2/orders`; undefined for an instrument that processor F does not know. */
export function orderBody(request: AuthorizeRequest): string | undefined {
  const method = methodOf(request.instrument);
  if (!method) return undefined;
  const { instrument, payer } = request;
  const customer =
    instrument.kind === 'apm'
      ? { name: instrument.payerName, email: instrument.payerEmail, country: instrument.country }
      : { email: payer?.email, country: payer?.country };
  return JSON.stringify({
    merchantReference: request.reference,
    amount: amountOf(request.money),
    method,
    customer,
    returnUrl: request.returnUrl,
    statementText: request.descriptor,
  });
}

function methodOf(instrument: Instrument): object | undefined {
  switch (instrument.kind) {
    case 'apm':
      return { type: instrument.scheme === 'redirect' ? 'Redirect' : 'Voucher', bankCode: instrument.bankCode };
    case 'qr':
      return { type: 'EmvCode' };
    case 'upi':
      if (instrument.flow === 'collect') return { type: 'UpiCollect', vpa: instrument.vpa };
      return { type: instrument.flow === 'intent' ? 'UpiIntent' : 'UpiCode' };
    default:
      return undefined;
  }
}

export function amountOf({ amountMinor, currency }: Money): { value: string; currency: string } {
  return { value: amountMinor.toString(), currency };
}

/** Undefined when a member that must be there is not, or is of another form. */
export function readOrder(fields: Fields | undefined): OrderWire | undefined {
  if (!fields) return undefined;
  const { orderId, merchantReference, state, rejection } = fields;
  const money = readMinor(fields.amount);
  if (!isText(orderId) || !isText(merchantReference) || !isText(state) || !money) return undefined;
  return {
    orderId,
    reference: merchantReference,
    state,
    money,
    captured: readMinor(fields.captured),
    rejection: isText(rejection) ? rejection : undefined,
    nextStep: readNextStep(asObject(fields.nextStep)),
  };
}

function readNextStep(fields: Fields | undefined): NextStep | undefined {
  if (!fields) return undefined;
  const { method, page, deadline, upiUri, vpa, voucherNumber } = fields;
  if (!isText(method) || !isText(page) || !/^https?:\/\//.test(page) || !isTime(deadline)) return undefined;
  return {
    method,
    page,
    deadline,
    upiUri: isText(upiUri) && upiUri.startsWith('upi://pay?') ? upiUri : undefined,
    vpa: isText(vpa) ? vpa : undefined,
    voucherNumber: isText(voucherNumber) ? voucherNumber : undefined,
    merchant: readMerchant(asObject(fields.merchant)),
  };
}

function readMerchant(fields: Fields | undefined): NextStep['merchant'] {
  if (!fields) return undefined;
  const { guid, merchantId, categoryCode, name, city, country, orderNumber } = fields;
  if (!isText(guid) || !isText(merchantId) || !isText(categoryCode) || !isText(name)) return undefined;
  if (!isText(city) || !isText(country) || !isText(orderNumber)) return undefined;
  return { guid, merchantId, categoryCode, name, city, country, orderNumber };
}

export function readRefund(fields: Fields | undefined): RefundWire | undefined {
  if (!fields) return undefined;
  const { refundId, merchantReference, state } = fields;
  const money = readMinor(fields.amount);
  if (!isText(refundId) || !isText(merchantReference) || !isText(state) || !money) return undefined;
  return { refundId, reference: merchantReference, state, money };
}

/** A report is taken whole or not at all: undefined when any line cannot be read. */
export function readPayout(fields: Fields | undefined): SettlementReport | undefined {
  if (!fields || !isText(fields.payoutId) || !isTime(fields.closedAt) || !Array.isArray(fields.entries))
    return undefined;
  const lines = fields.entries.map((entry) => readLine(asObject(entry)));
  return lines.every((line) => line !== undefined)
    ? { batchId: fields.payoutId, closedAt: fields.closedAt, lines }
    : undefined;
}

function readLine(fields: Fields | undefined): SettlementLine | undefined {
  if (!fields) return undefined;
  const { entryId, type, merchantReference, orderReference } = fields;
  const kind = isText(type) ? LINE_KINDS.get(type) : undefined;
  const [money, fee] = [readMinor(fields.gross), readMinor(fields.fee)];
  if (!kind || !money || fee?.currency !== money.currency) return undefined;
  if (!isText(entryId) || !isText(merchantReference) || !isText(orderReference)) return undefined;
  return {
    lineId: entryId,
    kind,
    reference: merchantReference,
    paymentReference: orderReference,
    money,
    feeMinor: fee.amountMinor,
  };
}

/** A page of the list of payouts; undefined when it cannot be read. */
export function readPayouts(fields: Fields | undefined): { batchIds: string[]; hasMore: boolean } | undefined {
  const { payoutIds, more } = fields ?? {};
  if (!Array.isArray(payoutIds) || !payoutIds.every(isText) || typeof more !== 'boolean') return undefined;
  return { batchIds: payoutIds, hasMore: more };
}

/** `{value, currency}` in minor units; undefined when it is none. */
export function readMinor(value: unknown): Money | undefined {
  const fields = asObject(value);
  if (!fields || typeof fields.currency !== 'string' || !isCurrency(fields.currency)) return undefined;
  if (typeof fields.value !== 'string' || !/^(0|[1-9][0-9]{0,17})$/.test(fields.value)) return undefined;
  return { amountMinor: BigInt(fields.value), currency: fields.currency };
}
