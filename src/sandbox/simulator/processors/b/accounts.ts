import { randomInt } from 'node:crypto';
import type { PayerView } from '../../payer-pages/view';
import type { Charge } from '../../records';

const BANK = '9990';
const BRANCH = '0001';
const BIC = 'TLWYPTPLXXX';
const HOLDER = 'Processor B, client account';
const ENTITY = '21312';

/** A virtual account for one payment, with the reference that a transfer to it should name. */
export function newAccount(): Record<string, string> {
  return { iban: portugueseIban(digits(11)), bic: BIC, titular: HOLDER, referencia: creditorReference(digits(15)) };
}

/** What a payer types at a cash machine: entity, reference, amount. The reference's last two digits check all three. */
export function newVoucher({ amountMinor }: { amountMinor: bigint }): Record<string, string> {
  const number = digits(7);
  const check = checkDigits(`${ENTITY}${number}${amountMinor.toString().padStart(8, '0')}`);
  return { entidade: ENTITY, referencia: `${number}${check}` };
}

/** Accounts and references in the groups in which people read them. */
export function viewOf({ details = {} }: Charge): PayerView {
  const { pagador, entidade, referencia, iban, bic, titular } = details;
  return {
    task: entidade ? 'voucher' : undefined,
    facts: [
      ['payer', pagador],
      ['voucherEntity', entidade],
      ['voucherReference', entidade && grouped(referencia, 3)],
      ['accountHolder', titular],
      ['iban', grouped(iban, 4)],
      ['bic', bic],
      ['transferReference', iban && grouped(referencia, 4)],
    ],
  };
}

function grouped(text: string | undefined, size: number): string | undefined {
  return text?.match(new RegExp(`.{1,${size}}`, 'g'))?.join(' ');
}

/** IBAN of Portugal (ISO 13616 registry): bank, branch and account, checked by two digits of its own, then the IBAN's. */
function portugueseIban(account: string): string {
  const number = `${BANK}${BRANCH}${account}`;
  const bban = `${number}${checkDigits(number)}`;
  return `PT${checkDigits(`${bban}2529`)}${bban}`;
}

/** Structured creditor reference (ISO 11649). */
function creditorReference(number: string): string {
  return `RF${checkDigits(`${number}2715`)}${number}`;
}

/** MOD 97-10 (ISO/IEC 7064). Letters are given as their numbers: A is 10. */
function checkDigits(number: string): string {
  return (98n - ((BigInt(number) * 100n) % 97n)).toString().padStart(2, '0');
}

function digits(count: number): string {
  return Array.from({ length: count }, () => randomInt(10)).join('');
}
