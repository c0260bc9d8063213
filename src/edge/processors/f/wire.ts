import type { AuthorizeRequest, Instrument, SettlementLine, SettlementReport } from '../../../domain/connector';
import type { Money } from '../../../domain/money';
import { meanings } from '../meanings';
import {
  asObject,
  type Fields,
  isPageUrl,
  isText,
  isTime,
  readEvery,
  readMinorMoney,
  readObject,
  readSettlementLine,
  readStanding,
  type Standing,
  textOrNothing,
} from '../reading';

/** A payment as processor F describes it: an order. Amounts are whole minor units, as text. */
export interface OrderWire extends Standing {
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

const lineKind = meanings<SettlementLine['kind']>({
  Sale: 'capture',
  Refund: 'refund',
  Dispute: 'chargeback',
  DisputeReversal: 'chargeback_reversal',
});

/** Body of `POST /v2/orders`; undefined for an instrument that processor F does not know. */
export function orderBody(request: AuthorizeRequest): object | undefined {
  const method = methodOf(request.instrument);
  if (!method) return undefined;
  const { instrument, payer } = request;
  const customer =
    instrument.kind === 'apm'
      ? { name: instrument.payerName, email: instrument.payerEmail, country: instrument.country }
      : { email: payer?.email, country: payer?.country };
  return {
    merchantReference: request.reference,
    amount: amountOf(request.money),
    method,
    customer,
    returnUrl: request.returnUrl,
    statementText: request.descriptor,
  };
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
export function readOrder(fields: Fields = {}): OrderWire | undefined {
  const { orderId: id, merchantReference: reference, state: status } = fields;
  const order = readStanding({ id, reference, status, money: readMinor(fields.amount) });
  return (
    order && {
      ...order,
      captured: readMinor(fields.captured),
      rejection: textOrNothing(fields.rejection),
      nextStep: readNextStep(asObject(fields.nextStep)),
    }
  );
}

function readNextStep({ method, page, deadline, upiUri, ...fields }: Fields = {}): NextStep | undefined {
  if (!isText(method) || !isPageUrl(page) || !isTime(deadline)) return undefined;
  return {
    method,
    page,
    deadline,
    upiUri: isText(upiUri) && upiUri.startsWith('upi://pay?') ? upiUri : undefined,
    vpa: textOrNothing(fields.vpa),
    voucherNumber: textOrNothing(fields.voucherNumber),
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

export function readRefund(fields: Fields = {}): Standing | undefined {
  const { refundId: id, merchantReference: reference, state: status, amount } = fields;
  return readStanding({ id, reference, status, money: readMinor(amount) });
}

/** A report is taken whole or not at all: undefined when any line cannot be read. */
export function readPayout(text: string): SettlementReport | undefined {
  const { payoutId: batchId, closedAt, entries } = readObject(text) ?? {};
  const lines = readEvery(entries, readLine);
  return isText(batchId) && isTime(closedAt) && lines ? { batchId, closedAt, lines } : undefined;
}

function readLine(value: unknown): SettlementLine | undefined {
  const { entryId, type, merchantReference, orderReference, gross, fee } = asObject(value) ?? {};
  return readSettlementLine({
    lineId: entryId,
    kind: lineKind(type),
    reference: merchantReference,
    paymentReference: orderReference,
    money: readMinor(gross),
    fee: readMinor(fee),
  });
}

/** A page of the list of payouts; undefined when it cannot be read. */
export function readPayouts(text: string): { batchIds: string[]; hasMore: boolean } | undefined {
  const { payoutIds, more } = readObject(text) ?? {};
  const batchIds = readEvery(payoutIds, textOrNothing);
  return batchIds && typeof more === 'boolean' ? { batchIds, hasMore: more } : undefined;
}

/** `{value, currency}` in minor units; undefined when it is none. */
export function readMinor(value: unknown): Money | undefined {
  const amount = asObject(value);
  return readMinorMoney(amount?.value, amount?.currency);
}
