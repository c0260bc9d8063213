import { code } from 'currency-codes';

/** Recent additions to ISO 4217 that the package does not have yet. */
const RECENT: Readonly<Record<string, string>> = { XAD: '396', XCG: '532' };

/** The ISO 4217 numeric code of an alphabetic one, three digits; undefined where there is none. */
export function currencyNumber(currency: string): string | undefined {
  return RECENT[currency] ?? code(currency)?.number;
}
