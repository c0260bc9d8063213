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
