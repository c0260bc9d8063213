import type { AuthorizeRequest, CardData, SettlementLine, SettlementReport } from '../../../domain/connector';
import { currencyNumber, currencyOfNumber } from '../../../domain/currency-number';
import type { Money } from '../../../domain/money';
import { type Fields, isText, isTime, readMinorMoney } from '../reading';

/** A payment as processor C describes it: a form with amounts in minor units and numeric currency codes (ISO 4217). */
export interface PaymentWire {
  transactionId: string;
  reference: string;
  state: string;
  money: Money;
  /** Absent until something was captured. */
  captured?: Money;
  responseCode?: string;
  /** Where the payer authenticates or pays. */
  page?: { url: string; expiresAt: string };
}

/** A refund as processor C describes it. */
export interface RefundWire {
  transactionId: string;
  reference: string;
  state: string;
  money: Money;
}

const AUTHENTICATION = { auto: 'ISSUER', required: 'ALWAYS', none: 'NEVER' } as const;

const LINE_KINDS: ReadonlyMap<string, SettlementLine['kind']> = new Map([
  ['SALE', 'capture'],
  ['CREDIT', 'refund'],
  ['DISPUTE', 'chargeback'],
  ['DISPUTE_REVERSAL', 'chargeback_reversal'],
]);

/** Undefined where the processor has no number for the currency, or does not serve the kind. */
export function authorizeForm(request: AuthorizeRequest): URLSearchParams | undefined {
  const { instrument, payer = {}, recurring } = request;
  const amount = amountForm(request.money);
  if (!amount || (instrument.kind !== 'card' && instrument.kind !== 'hosted_page')) return undefined;
  return formOf({
    request_id: request.idempotencyKey,
    order_id: request.reference,
    product: instrument.kind === 'card' ? 'CARD' : 'PAGE',
    action: request.capture ? 'SALE' : 'AUTH',
    ...amount,
    ...(instrument.kind === 'card' ? cardForm(instrument.card) : {}),
    three_ds: AUTHENTICATION[request.threeDS],
    credential: recurring && (recurring.initial ? 'FIRST' : 'SUBSEQUENT'),
    original_order_id: recurring?.originalReference,
    browser: request.browser && JSON.stringify(request.browser),
    return_url: request.returnUrl,
    statement: request.descriptor,
    payer_name: `${payer.firstName ?? ''} ${payer.lastName ?? ''}`.trim(),
    payer_email: payer.email,
    payer_country: payer.country,
    payer_ip: payer.ipAddress,
  });
}

/** Holds the card number: never log it. The expiry is YYMM, as on the wire of ISO 8583. */
function cardForm({ number, holder, expiryMonth, expiryYear, cvv }: CardData): Record<string, string | undefined> {
  return { pan: number, holder, expiry: `${expiryYear.slice(-2)}${expiryMonth}`, cvv2: cvv };
}

/** Undefined for a currency without a number. */
export function amountForm({ amountMinor, currency }: Money): { amount: string; currency: string } | undefined {
  const number = currencyNumber(currency);
  return number ? { amount: amountMinor.toString(), currency: number } : undefined;
}

export function formOf(fields: Record<string, string | undefined>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value) form.append(name, value);
  return form;
}

/** Undefined when a name is there twice: two values are two meanings. */
export function readForm(text: string): Fields | undefined {
  const form = new URLSearchParams(text);
  const fields = Object.fromEntries(form);
  return Object.keys(fields).length === form.size ? fields : undefined;
}

export function readNumberedMoney(amount: unknown, currency: unknown): Money | undefined {
  return isText(currency) ? readMinorMoney(amount, currencyOfNumber(currency)) : undefined;
}

/** Undefined when a member that must be there is not, or is of another form. */
export function readPayment(fields: Fields | undefined): PaymentWire | undefined {
  if (!fields) return undefined;
  const { txn_id: transactionId, order_id: reference, state, response_code: responseCode } = fields;
  const money = readNumberedMoney(fields.amount, fields.currency);
  if (!isText(transactionId) || !isText(reference) || !isText(state) || !money) return undefined;
  return {
    transactionId,
    reference,
    state,
    money,
    captured: readNumberedMoney(fields.captured_amount, fields.currency),
    responseCode: isText(responseCode) ? responseCode : undefined,
    page: readPage(fields),
  };
}

function readPage({ page_url: url, page_expires: expires }: Fields): PaymentWire['page'] {
  const expiresAt = readTime(expires);
  return isText(url) && /^https?:\/\//.test(url) && expiresAt ? { url, expiresAt } : undefined;
}

export function readRefund(fields: Fields | undefined): RefundWire | undefined {
  if (!fields) return undefined;
  const { txn_id: transactionId, credit_id: reference, state } = fields;
  const money = readNumberedMoney(fields.amount, fields.currency);
  if (!isText(transactionId) || !isText(reference) || !isText(state) || !money) return undefined;
  return { transactionId, reference, state, money };
}

/** `YYYYMMDDhhmmss` in UTC, as RFC 3339. */
export function readTime(value: unknown): string | undefined {
  const parts = isText(value) ? /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(value) : null;
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  const time = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  return isTime(time) ? time : undefined;
}

/**
 * What is about settlement comes as tables of comma-separated lines: a head (`H`), lines, and a tail (`T`) with their
 * number, without which the rest may be missing.
 */
function readTable(text: string): { head: string[]; body: string[][]; tail: string[] } | undefined {
  const rows = text.split(/\r?\n/).map((row) => row.split(','));
  if (rows.at(-1)?.join('') === '') rows.pop();
  const [head, ...body] = rows;
  const tail = body.pop();
  if (head?.[0] !== 'H' || tail?.[0] !== 'T' || tail[1] !== String(body.length)) return undefined;
  return { head, body, tail };
}

/** Whole or undefined. */
export function readSettlement(text: string): SettlementReport | undefined {
  const table = readTable(text);
  const [, batchId, closed] = table?.head ?? [];
  const closedAt = readTime(closed);
  if (!table || !isText(batchId) || !closedAt) return undefined;
  const lines: SettlementLine[] = [];
  for (const row of table.body) {
    const line = readLine(row);
    if (!line) return undefined;
    lines.push(line);
  }
  return { batchId, closedAt, lines };
}

/** A page of the list of batches; its tail says whether there is `MORE`, or this is the `END`. */
export function readBatches(text: string): { batchIds: string[]; hasMore: boolean } | undefined {
  const table = readTable(text);
  const more = table?.tail[2];
  if (!table || (more !== 'MORE' && more !== 'END')) return undefined;
  const batchIds = table.body.map(([mark, id]) => (mark === 'B' ? id : undefined));
  return batchIds.every(isText) ? { batchIds, hasMore: more === 'MORE' } : undefined;
}

function readLine([mark, lineId, type, reference, paymentReference, amount, currency, fee]: string[]) {
  const kind = LINE_KINDS.get(type ?? '');
  const money = readNumberedMoney(amount, currency);
  const feeMinor = readNumberedMoney(fee, currency)?.amountMinor;
  if (mark !== 'D' || !kind || !money || feeMinor === undefined) return undefined;
  if (!isText(lineId) || !isText(reference) || !isText(paymentReference)) return undefined;
  return { lineId, kind, reference, paymentReference, money, feeMinor };
}
