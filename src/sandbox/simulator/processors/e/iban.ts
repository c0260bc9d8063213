import type { Charge } from '../../books';

/** Accounts whose bank does something else than pay, in the sandbox. */
const TEST_IBANS: ReadonlyMap<string, NonNullable<Charge['collection']>> = new Map([
  ['DE25370400440000000095', 'insufficient_funds'],
  ['DE57370400440000000004', 'account_closed'],
  ['DE41370400440000000001', 'no_mandate'],
  ['DE03370400440000000006', 'returned'],
]);

/** Undefined: the bank pays. */
export function collectionFrom(iban: string): Charge['collection'] {
  return TEST_IBANS.get(iban);
}

/** ISO 13616: country, check digits that make the whole 1 modulo 97, account. */
export function isIban(text: string): boolean {
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(text)) return false;
  const digits = (text.slice(4) + text.slice(0, 4)).replace(/[A-Z]/g, (letter) => `${letter.charCodeAt(0) - 55}`);
  return BigInt(digits) % 97n === 1n;
}
