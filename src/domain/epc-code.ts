import { formatAmount, type Money } from './money';

/** What the code of a SEPA credit transfer says. */
export interface EpcTransfer {
  /** At most 70 characters count. */
  name: string;
  iban: string;
  bic?: string;
  money: Money;
  /** ISO 11649. */
  reference: string;
}

/** 999,999,999.99 euros. */
const MOST_MINOR = 99_999_999_999n;

/**
 * The text of a QR code that banking apps read to fill in a SEPA credit transfer (EPC069-12, version 2: the BIC may be left
 * out within the EEA). Undefined where there is none: other currencies than the euro, and larger amounts.
 */
export function epcCode({ name, iban, bic, money, reference }: EpcTransfer): string | undefined {
  if (money.currency !== 'EUR' || money.amountMinor > MOST_MINOR || money.amountMinor < 1n) return undefined;
  const amount = `EUR${formatAmount(money.amountMinor, 'EUR')}`;
  // Service tag, version, character set (1: UTF-8), identification; purpose and both texts stay empty.
  const lines = ['BCD', '002', '1', 'SCT', bic ?? '', oneLine(name).slice(0, 70), iban, amount, '', reference];
  return lines.join('\n');
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
