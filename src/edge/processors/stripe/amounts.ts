import { exponentOf, isCurrency, type Money } from '../../../domain/money';

/**
 * Decimals of Stripe's smallest unit where they are not those of ISO 4217 (docs.stripe.com/currencies): ISK and UGX keep
 * two for compatibility, although only whole ones can be charged, and MGA has none.
 */
const DECIMALS: ReadonlyMap<string, number> = new Map([
  ['ISK', 2],
  ['UGX', 2],
  ['MGA', 0],
]);

/** Currencies of three decimals of which Stripe takes two: the last digit has to be 0. */
const LAST_DIGIT_ZERO: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND']);

/**
 * An amount as a parameter of Stripe's API: digits of its smallest unit, which the SDK writes into the form as they are.
 * Undefined for an amount that Stripe cannot charge, such as a fraction of an ariary.
 */
export function amountParameter({ amountMinor, currency }: Money): number | undefined {
  if (LAST_DIGIT_ZERO.has(currency) && amountMinor % 10n !== 0n) return undefined;
  const scaled = scale(amountMinor, decimalsOf(currency) - exponentOf(currency));
  // The SDK declares a number; made one, a large amount would lose its last digits.
  return scaled === undefined ? undefined : (scaled.toString() as unknown as number);
}

/** An amount and currency out of an object of Stripe's. Undefined unless they make an exact amount, zero included. */
export function readAmount(amount: unknown, currency: unknown): Money | undefined {
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || typeof currency !== 'string') return undefined;
  const code = currency.toUpperCase();
  if (!isCurrency(code)) return undefined;
  const amountMinor = scale(BigInt(amount), exponentOf(code) - decimalsOf(code));
  return amountMinor === undefined ? undefined : { amountMinor, currency: code };
}

function decimalsOf(currency: string): number {
  return DECIMALS.get(currency) ?? exponentOf(currency);
}

/** Undefined where digits other than 0 would be lost. */
function scale(value: bigint, decimals: number): bigint | undefined {
  if (decimals >= 0) return value * 10n ** BigInt(decimals);
  const divisor = 10n ** BigInt(-decimals);
  return value % divisor === 0n ? value / divisor : undefined;
}
