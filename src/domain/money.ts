import * as iso4217 from 'dinero.js/bigint/currencies';

/** An exact amount: minor units of an ISO 4217 currency. Never a float, never without its currency. */
export interface Money {
  readonly amountMinor: bigint;
  readonly currency: string;
}

const EXPONENTS: ReadonlyMap<string, number> = new Map(
  Object.values(iso4217 as unknown as Record<string, { code: string; base: bigint; exponent: bigint }>)
    .filter((currency) => typeof currency === 'object' && /^[A-Z]{3}$/.test(currency.code))
    // ISO 4217 gives MGA and MRU two decimals although their subunit is a fifth.
    .map((currency) => [currency.code, currency.base === 5n ? 2 : Number(currency.exponent)]),
);

/** Every ISO 4217 alphabetic code the service knows, sorted. */
export const CURRENCIES: readonly string[] = [...EXPONENTS.keys()].sort();

/** Largest amount a bigint column of Postgres holds. */
export const MAX_MINOR = 9_223_372_036_854_775_807n;

export function isCurrency(code: string): boolean {
  return EXPONENTS.has(code);
}

/** Digits after the decimal point of a currency (ISO 4217 "minor unit"). Throws RangeError on an unknown code. */
export function exponentOf(currency: string): number {
  const exponent = EXPONENTS.get(currency);
  if (exponent === undefined) throw new RangeError(`unknown currency ${currency}`);
  return exponent;
}

/**
 * Parses a decimal string with exactly the currency's number of decimals ("10.00" EUR, "1000" JPY, "1.234" KWD)
 * into minor units. Throws RangeError on a sign, an exponent, a leading zero, other digits than ASCII,
 * more or fewer decimals, or a value beyond 2^63-1.
 */
export function parseAmount(text: string, currency: string): bigint {
  const exponent = exponentOf(currency);
  const pattern = exponent === 0 ? /^(?:0|[1-9][0-9]*)$/ : new RegExp(`^(?:0|[1-9][0-9]*)\\.[0-9]{${exponent}}$`);
  if (text.length > 24 || !pattern.test(text)) {
    const example = exponent === 0 ? '1000' : `10.${'0'.repeat(exponent)}`;
    throw new RangeError(
      `must be a decimal string with exactly ${exponent} decimals for ${currency}, such as "${example}"`,
    );
  }
  const amountMinor = BigInt(text.replace('.', ''));
  if (amountMinor > MAX_MINOR) throw new RangeError('is too large');
  return amountMinor;
}

/** Formats minor units with exactly the currency's decimals; the inverse of parseAmount. Negative amounts get a minus. */
export function formatAmount(amountMinor: bigint, currency: string): string {
  const exponent = exponentOf(currency);
  const sign = amountMinor < 0n ? '-' : '';
  const digits = (amountMinor < 0n ? -amountMinor : amountMinor).toString().padStart(exponent + 1, '0');
  if (exponent === 0) return sign + digits;
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/** A quotient of two amounts that are not negative, in whole minor units, half to even (IEEE 754 roundTiesToEven). */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const floor = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && floor % 2n === 1n);
  return up ? floor + 1n : floor;
}
