import type { SettlementLine } from '../../domain/connector';
import { toUtc } from '../../domain/instant';
import { formatAmount, isCurrency, type Money, parseAmount } from '../../domain/money';

/** Reading what a processor wrote: every member may be missing or of another form, and is then undefined. */

export type Fields = Record<string, unknown>;

/** The JSON object in a text, or undefined when it is something else. */
export function readObject(text: string): Fields | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** A text that the database can keep: NUL and half a character it cannot. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 2048 && !/[\0\p{Surrogate}]/u.test(value);
}

export function textOrNothing(value: unknown): string | undefined {
  return isText(value) ? value : undefined;
}

/** The address of a page that a browser can open. */
export function isPageUrl(value: unknown): value is string {
  return isText(value) && /^https?:\/\//.test(value);
}

/** RFC 3339 UTC, as the processor writes its times. */
export function isTime(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value) &&
    toUtc(value) !== undefined
  );
}

/** Undefined unless both are there, the currency is known and the amount has exactly its decimals. */
export function readMoney(amount: unknown, currency: unknown): Money | undefined {
  if (typeof amount !== 'string' || typeof currency !== 'string' || !isCurrency(currency)) return undefined;
  try {
    return { amountMinor: parseAmount(amount, currency), currency };
  } catch {
    return undefined;
  }
}

/** Decimal amount and currency, as most processors write money. */
export function amountFields(money: Money): { amount: string; currency: string } {
  return { amount: formatAmount(money.amountMinor, money.currency), currency: money.currency };
}

/** Money in minor units, as a text of digits. Undefined unless both are there and the currency is known. */
export function readMinorMoney(amountMinor: unknown, currency: unknown): Money | undefined {
  if (typeof amountMinor !== 'string' || typeof currency !== 'string' || !isCurrency(currency)) return undefined;
  return /^(0|[1-9][0-9]{0,17})$/.test(amountMinor) ? { amountMinor: BigInt(amountMinor), currency } : undefined;
}

/** A payment or a refund, as far as all processors describe it alike. */
export interface Standing {
  /** The processor's own id. */
  id: string;
  /** Our id. */
  reference: string;
  status: string;
  money: Money;
}

interface UnreadStanding {
  id: unknown;
  reference: unknown;
  status: unknown;
  money: Money | undefined;
}

/** Undefined when a member is missing, or is of another form. */
export function readStanding({ id, reference, status, money }: UnreadStanding): Standing | undefined {
  return isText(id) && isText(reference) && isText(status) && money ? { id, reference, status, money } : undefined;
}

/** Undefined when a member is missing, or is of another form. `fee` is in the currency of the line. */
export function readSettlementLine(line: {
  lineId: unknown;
  kind: SettlementLine['kind'] | undefined;
  reference: unknown;
  paymentReference: unknown;
  money: Money | undefined;
  fee: Money | undefined;
}): SettlementLine | undefined {
  const { lineId, kind, reference, paymentReference, money, fee } = line;
  if (!kind || !money || fee?.currency !== money.currency) return undefined;
  if (!isText(lineId) || !isText(reference) || !isText(paymentReference)) return undefined;
  return { lineId, kind, reference, paymentReference, money, feeMinor: fee.amountMinor };
}

/** Reads a list whole or not at all: undefined when one of its members cannot be read, or when it is no list. */
export function readEvery<Value, Member>(
  values: readonly Value[] | undefined,
  read: (value: Value) => Member | undefined,
): Member[] | undefined;
export function readEvery<Member>(values: unknown, read: (value: unknown) => Member | undefined): Member[] | undefined;
export function readEvery(values: unknown, read: (value: unknown) => unknown): unknown[] | undefined {
  if (!Array.isArray(values)) return undefined;
  const members = values.map(read);
  return members.every((member) => member !== undefined) ? members : undefined;
}
