import type { AuthorizeRequest, CardData, SettlementLine, SettlementReport } from '../../../domain/connector';
import { currencyNumber, currencyOfNumber } from '../../../domain/currency-number';
import type { Money } from '../../../domain/money';
import { formOf } from '../http';
import { meanings } from '../meanings';
import {
  type Fields,
  isPageUrl,
  isText,
  isTime,
  readEvery,
  readMinorMoney,
  readSettlementLine,
  readStanding,
  type Standing,
  textOrNothing,
} from '../reading';

/** A payment as processor C describes it: a form with amounts in minor units and numeric currency codes (ISO 4217). */
export interface PaymentWire extends Standing {
  /** Absent until something was captured. */
  captured?: Money;
  responseCode?: string;
  /** Where the payer authenticates or pays. */
  page?: { url: string; expiresAt: string };
}

const AUTHENTICATION = { auto: 'ISSUER', required: 'ALWAYS', none: 'NEVER' } as const;

/** A low-value payment, a merchant-initiated transaction: the names that card schemes use. */
const EXEMPTION = { low_value: 'LVP', merchant_initiated: 'MIT' } as const;

const lineKind = meanings<SettlementLine['kind']>({
  SALE: 'capture',
  CREDIT: 'refund',
  DISPUTE: 'chargeback',
  DISPUTE_REVERSAL: 'chargeback_reversal',
});

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
    sca_exemption: request.exemption && EXEMPTION[request.exemption],
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
export function readPayment(fields: Fields = {}): PaymentWire | undefined {
  const { txn_id: id, order_id: reference, state: status, currency } = fields;
  const payment = readStanding({ id, reference, status, money: readNumberedMoney(fields.amount, currency) });
  return (
    payment && {
      ...payment,
      captured: readNumberedMoney(fields.captured_amount, currency),
      responseCode: textOrNothing(fields.response_code),
      page: readPage(fields),
    }
  );
}

function readPage({ page_url: url, page_expires: expires }: Fields): PaymentWire['page'] {
  const expiresAt = readTime(expires);
  return isPageUrl(url) && expiresAt ? { url, expiresAt } : undefined;
}

export function readRefund(fields: Fields = {}): Standing | undefined {
  const { txn_id: id, credit_id: reference, state: status, amount, currency } = fields;
  return readStanding({ id, reference, status, money: readNumberedMoney(amount, currency) });
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
  const lines = readEvery(table?.body, readLine);
  return isText(batchId) && closedAt && lines ? { batchId, closedAt, lines } : undefined;
}

/** A page of the list of batches; its tail says whether there is `MORE`, or this is the `END`. */
export function readBatches(text: string): { batchIds: string[]; hasMore: boolean } | undefined {
  const table = readTable(text);
  const more = table?.tail[2];
  if (!table || (more !== 'MORE' && more !== 'END')) return undefined;
  const batchIds = readEvery(table.body, ([mark, id]) => (mark === 'B' ? textOrNothing(id) : undefined));
  return batchIds && { batchIds, hasMore: more === 'MORE' };
}

function readLine(row: string[]): SettlementLine | undefined {
  const [mark, lineId, type, reference, paymentReference, amount, currency, fee] = row;
  return readSettlementLine({
    lineId,
    kind: mark === 'D' ? lineKind(type) : undefined,
    reference,
    paymentReference,
    money: readNumberedMoney(amount, currency),
    fee: readNumberedMoney(fee, currency),
  });
}
