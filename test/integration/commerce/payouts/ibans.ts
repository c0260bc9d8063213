import { randomInt } from 'node:crypto';

/** A German account number with right check digits, ending as told. */
export function newAccountOf(ending = '00'): string {
  const account = `${randomInt(10_000_000, 99_999_999)}${ending}`;
  const bban = `50010517${account}`;
  const check = 98n - (BigInt(`${bban}131400`) % 97n);
  return `DE${check.toString().padStart(2, '0')}${bban}`;
}
