import { code } from 'currency-codes';
import { CURRENCIES } from './money';

/** Recent additions to ISO 4217 that the package does not have yet. */
const RECENT: ReadonlyMap<string, string> = new Map([
  ['XAD', '396'],
  ['XCG', '532'],
]);

const BY_NUMBER: ReadonlyMap<string, string> = new Map(
  CURRENCIES.flatMap((currency) => {
    const number = currencyNumber(currency);
    return number ? [[number, currency] as const] : [];
  }),
);

/** The ISO 4217 numeric code of an alphabetic one, three digits; undefined where there is none. */
export function currencyNumber(currency: string): string | undefined {
  return RECENT.get(currency) ?? code(currency)?.number;
}

/** The alphabetic code of a numeric one of three digits; undefined where there is none. */
export function currencyOfNumber(number: string): string | undefined {
  return BY_NUMBER.get(number);
}
