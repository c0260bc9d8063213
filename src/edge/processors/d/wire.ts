import type { AuthorizeRequest, SettlementLine, SettlementReport } from '../../../domain/connector';
import { formatAmount, type Money } from '../../../domain/money';
import { meanings } from '../meanings';
import {
  asObject,
  type Fields,
  isPageUrl,
  isText,
  isTime,
  readEvery,
  readMoney,
  readObject,
  readSettlementLine,
  readStanding,
  type Standing,
  textOrNothing,
} from '../reading';

/** A payment as processor D describes it: a transaction on its hosted page. */
export interface TransactionWire extends Standing {
  /** Absent until something was captured. */
  charged?: Money;
  returnCode?: string;
  /** Where the payer pays. */
  page?: { url: string; openUntil: string };
}

const lineKind = meanings<SettlementLine['kind']>({
  charge: 'capture',
  refund: 'refund',
  dispute: 'chargeback',
  'dispute-return': 'chargeback_reversal',
});

/** Body of `POST /api/pages`; undefined for an instrument that processor D does not serve. */
export function pageBody(request: AuthorizeRequest): object | undefined {
  if (request.instrument.kind !== 'hosted_page') return undefined;
  const { payer = {} } = request;
  const name = `${payer.firstName ?? ''} ${payer.lastName ?? ''}`.trim();
  return {
    order: request.reference,
    total: totalOf(request.money),
    mode: request.capture ? 'charge' : 'hold',
    return_to: request.returnUrl,
    statement_text: request.descriptor,
    buyer: { name: name || undefined, email: payer.email, country: payer.country, ip: payer.ipAddress },
  };
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
export function readTransaction(fields: Fields = {}): TransactionWire | undefined {
  const { id, order: reference, status } = fields;
  const transaction = readStanding({ id, reference, status, money: readTotal(fields.total) });
  return (
    transaction && {
      ...transaction,
      charged: readTotal(fields.charged),
      returnCode: textOrNothing(fields.return_code),
      page: readPage(asObject(fields.page)),
    }
  );
}

function readPage({ url, open_until }: Fields = {}): TransactionWire['page'] {
  const openUntil = readTime(open_until);
  return isPageUrl(url) && openUntil ? { url, openUntil } : undefined;
}

export function readRefund({ id, refund: reference, status, total }: Fields = {}): Standing | undefined {
  return readStanding({ id, reference, status, money: readTotal(total) });
}

/** A statement is taken whole or not at all: undefined when any line cannot be read. */
export function readStatement(text: string): SettlementReport | undefined {
  const { statement: batchId, closed, lines: entries } = readObject(text) ?? {};
  const closedAt = readTime(closed);
  const lines = readEvery(entries, readLine);
  return isText(batchId) && closedAt && lines ? { batchId, closedAt, lines } : undefined;
}

function readLine(value: unknown): SettlementLine | undefined {
  const { line: lineId, kind, reference, order: paymentReference, total, commission } = asObject(value) ?? {};
  const [money, fee] = [readTotal(total), readTotal(commission)];
  return readSettlementLine({ lineId, kind: lineKind(kind), reference, paymentReference, money, fee });
}

/** A page of the list of statements; undefined when it cannot be read. */
export function readStatements(text: string): { batchIds: string[]; hasMore: boolean } | undefined {
  const { statements, last_page: isLast } = readObject(text) ?? {};
  const batchIds = readEvery(statements, (statement) => textOrNothing(asObject(statement)?.statement));
  return batchIds && typeof isLast === 'boolean' ? { batchIds, hasMore: !isLast } : undefined;
}
