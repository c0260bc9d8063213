import type { AuthorizeRequest, SettlementLine, SettlementReport } from '../../../domain/connector';
import { formatAmount, type Money } from '../../../domain/money';
import { asObject, type Fields, isText, isTime, readMoney } from '../reading';

/** A payment as processor D describes it: a transaction on its hosted page. */
export interface TransactionWire {
  transaction: string;
  reference: string;
  status: string;
  money: Money;
  /** Absent until something was captured. */
  charged?: Money;
  returnCode?: string;
  /** Where the payer pays. */
  page?: { url: string; openUntil: string };
}

/** A refund as processor D describes it. */
export interface RefundWire {
  id: string;
  reference: string;
  status: string;
  money: Money;
}

const LINE_KINDS: ReadonlyMap<string, SettlementLine['kind']> = new Map([
  ['charge', 'capture'],
  ['refund', 'refund'],
  ['dispute', 'chargeback'],
  ['dispute-return', 'chargeback_reversal'],
]);

/** Body of `POST /api/pages`; undefined for an instrument that processor D does not serve. */
export function pageBody(request: AuthorizeRequest): string | undefined {
  if (request.instrument.kind !== 'hosted_page') return undefined;
  const { payer = {} } = request;
  const name = `${payer.firstName ?? ''} ${payer.lastName ?? ''}`.trim();
  return JSON.stringify({
    order: request.reference,
    total: totalOf(request.money),
    mode: request.capture ? 'charge' : 'hold',
    return_to: request.returnUrl,
    statement_text: request.descriptor,
    buyer: { name: name || undefined, email: payer.email, country: payer.country, ip: payer.ipAddress },
  });
}

/** Amount and currency in one text, such as `10.00 ILS`. */
export function totalOf({ amountMinor, currency }: Money): string {
  return `${formatAmount(amountMinor, currency)} ${currency}`;
}

/** Undefined when it is not an amount with exactly its currency's decimals. */
export function readTotal(value: unknown): Money | undefined {
  const [amount, currency, ...rest] = isText(value) ? value.split(' ') : [];
  return rest.length === 0 ? readMoney(amount, currency) : undefined;
}

/** A time with its offset, as RFC 3339 in UTC. Undefined when it is none. */
export function readTime(value: unknown): string | undefined {
  const parts = isText(value) ? /^(.{19})([+-]\d\d:\d\d|Z)$/.exec(value) : null;
  // Without its offset it has to be a time as well: Date.parse would read much else.
  if (!parts || !isTime(`${parts[1]}Z`) || Number.isNaN(Date.parse(parts[0]))) return undefined;
  return new Date(parts[0]).toISOString();
}

/** Undefined when a member that must be there is not, or is of another form. */
export function readTransaction(fields: Fields | undefined): TransactionWire | undefined {
  if (!fields) return undefined;
  const { id, order, status, return_code: returnCode } = fields;
  const money = readTotal(fields.total);
  if (!isText(id) || !isText(order) || !isText(status) || !money) return undefined;
  return {
    transaction: id,
    reference: order,
    status,
    money,
    charged: readTotal(fields.charged),
    returnCode: isText(returnCode) ? returnCode : undefined,
    page: readPage(asObject(fields.page)),
  };
}

function readPage(fields: Fields | undefined): TransactionWire['page'] {
  const openUntil = readTime(fields?.open_until);
  const url = fields?.url;
  return isText(url) && /^https?:\/\//.test(url) && openUntil ? { url, openUntil } : undefined;
}

export function readRefund(fields: Fields | undefined): RefundWire | undefined {
  if (!fields) return undefined;
  const { id, refund, status } = fields;
  const money = readTotal(fields.total);
  if (!isText(id) || !isText(refund) || !isText(status) || !money) return undefined;
  return { id, reference: refund, status, money };
}

/** A statement is taken whole or not at all: undefined when any line cannot be read. */
export function readStatement(fields: Fields | undefined): SettlementReport | undefined {
  const closedAt = readTime(fields?.closed);
  if (!fields || !isText(fields.statement) || !closedAt || !Array.isArray(fields.lines)) return undefined;
  const lines = fields.lines.map((line) => readLine(asObject(line)));
  return lines.every((line) => line !== undefined) ? { batchId: fields.statement, closedAt, lines } : undefined;
}

function readLine(fields: Fields | undefined): SettlementLine | undefined {
  if (!fields) return undefined;
  const { line, kind: word, reference, order } = fields;
  const kind = isText(word) ? LINE_KINDS.get(word) : undefined;
  const [money, fee] = [readTotal(fields.total), readTotal(fields.commission)];
  if (!kind || !money || fee?.currency !== money.currency) return undefined;
  if (!isText(line) || !isText(reference) || !isText(order)) return undefined;
  return { lineId: line, kind, reference, paymentReference: order, money, feeMinor: fee.amountMinor };
}

/** A page of the list of statements; undefined when it cannot be read. */
export function readStatements(fields: Fields | undefined): { batchIds: string[]; hasMore: boolean } | undefined {
  const { statements, last_page: isLast } = fields ?? {};
  if (!Array.isArray(statements) || typeof isLast !== 'boolean') return undefined;
  const batchIds = statements.map((statement) => asObject(statement)?.statement);
  return batchIds.every(isText) ? { batchIds, hasMore: !isLast } : undefined;
}
