import type { AuthorizeRequest, SettlementLine, SettlementReport } from '../../../domain/connector';
import { formatAmount, type Money } from '../../../domain/money';
import { asObject, type Fields, isText, isTime, readMoney, readObject } from '../reading';

/** A payment as processor G describes it. Amount and currency are one text: `10.00 EUR`. */
export interface PaymentWire {
  id: string;
  reference: string;
  state: string;
  total: Money;
  /** Absent until something was captured. */
  paid?: Money;
  reason?: string;
  page?: { url: string; expiresAt: string };
  /** The latest dispute. */
  dispute?: { caseId: string; state: string; total: Money; reason?: string };
}

/** A refund as processor G describes it. */
export interface RefundWire {
  id: string;
  reference: string;
  state: string;
  total: Money;
}

/** What G says of a call: HTTP tells nothing, its own code does. */
export interface Answer {
  code: string;
  payment?: PaymentWire;
  refund?: RefundWire;
  batch?: Fields;
}

const LINE_KINDS: ReadonlyMap<string, SettlementLine['kind']> = new Map([
  ['30', 'capture'],
  ['81', 'refund'],
  ['40', 'chargeback'],
  ['41', 'chargeback_reversal'],
]);

const SECURE = { auto: '1', required: '2', none: '0' } as const;

/** Holds the card number: never log it. Undefined for what is no card. */
export function payForm(request: AuthorizeRequest): Record<string, string | undefined> | undefined {
  const { instrument, payer = {}, recurring } = request;
  if (instrument.kind !== 'card') return undefined;
  const { card } = instrument;
  return {
    op: request.capture ? 'PAY' : 'HOLD',
    nonce: request.idempotencyKey,
    order: request.reference,
    total: totalOf(request.money),
    cc: card.number,
    cc_name: card.holder,
    cc_till: `${card.expiryMonth}/${card.expiryYear}`,
    cc_code: card.cvv,
    secure: SECURE[request.threeDS],
    repeat: recurring && (recurring.initial ? 'first' : 'next'),
    repeat_of: recurring?.originalReference,
    browser: request.browser && JSON.stringify(request.browser),
    back: request.returnUrl,
    label: request.descriptor,
    buyer: `${payer.firstName ?? ''} ${payer.lastName ?? ''}`.trim(),
    buyer_email: payer.email,
    buyer_country: payer.country,
    buyer_ip: payer.ipAddress,
  };
}

export function totalOf({ amountMinor, currency }: Money): string {
  return `${formatAmount(amountMinor, currency)} ${currency}`;
}

/** Undefined when it is not an amount, one space, and its currency. */
export function readTotal(value: unknown): Money | undefined {
  const [amount, currency, ...rest] = isText(value) ? value.split(' ') : [];
  return rest.length === 0 ? readMoney(amount, currency) : undefined;
}

/** Undefined when it cannot be read. */
export function readAnswer(text: string): Answer | undefined {
  const fields = readObject(text);
  if (!fields || !isText(fields.code)) return undefined;
  return {
    code: fields.code,
    payment: readPayment(asObject(fields.payment)),
    refund: readRefund(asObject(fields.refund)),
    batch: asObject(fields.batch),
  };
}

function readPayment(fields: Fields | undefined): PaymentWire | undefined {
  const { id, order, state, reason } = fields ?? {};
  const total = readTotal(fields?.total);
  if (!fields || !isText(id) || !isText(order) || !isText(state) || !total) return undefined;
  return {
    id,
    reference: order,
    state,
    total,
    paid: readTotal(fields.paid),
    reason: isText(reason) ? reason : undefined,
    page: readPage(asObject(fields.page)),
    dispute: readDispute(asObject(fields.dispute)),
  };
}

function readPage(fields: Fields | undefined): PaymentWire['page'] {
  if (!isText(fields?.url) || !/^https?:\/\//.test(fields.url) || !isTime(fields.until)) return undefined;
  return { url: fields.url, expiresAt: fields.until };
}

function readDispute(fields: Fields | undefined): PaymentWire['dispute'] {
  const { case: caseId, state, reason } = fields ?? {};
  const total = readTotal(fields?.total);
  if (!isText(caseId) || !isText(state) || !total) return undefined;
  return { caseId, state, total, reason: isText(reason) ? reason : undefined };
}

function readRefund(fields: Fields | undefined): RefundWire | undefined {
  const { id, refund, state } = fields ?? {};
  const total = readTotal(fields?.total);
  return isText(id) && isText(refund) && isText(state) && total ? { id, reference: refund, state, total } : undefined;
}

/** A report is taken whole or not at all. */
export function readSettlement(batch: Fields | undefined): SettlementReport | undefined {
  if (!batch || !isText(batch.id) || !isTime(batch.closed) || !Array.isArray(batch.rows)) return undefined;
  const lines: SettlementLine[] = [];
  for (const row of batch.rows) {
    const line = readLine(row);
    if (!line) return undefined;
    lines.push(line);
  }
  return { batchId: batch.id, closedAt: batch.closed, lines };
}

/** `[line, state, order, order or refund, total, fee]` */
function readLine(row: unknown): SettlementLine | undefined {
  if (!Array.isArray(row) || row.length !== 6) return undefined;
  const [lineId, state, paymentReference, reference] = row as unknown[];
  const money = readTotal(row[4]);
  const fee = readTotal(row[5]);
  const kind = isText(state) ? LINE_KINDS.get(state) : undefined;
  if (!kind || !money || fee?.currency !== money.currency) return undefined;
  if (!isText(lineId) || !isText(reference) || !isText(paymentReference)) return undefined;
  return { lineId, kind, reference, paymentReference, money, feeMinor: fee.amountMinor };
}

export function readBatches(text: string): { batchIds: string[]; hasMore: boolean } | undefined {
  const { code, batches, more } = readObject(text) ?? {};
  if (code !== '00' || !Array.isArray(batches) || !batches.every(isText) || typeof more !== 'boolean') return undefined;
  return { batchIds: batches, hasMore: more };
}
