import { formatAmount } from '../../domain/money';

/** Schemes in which the standard names accounts, and ours for those who are known by something else. */
export type Scheme = 'UK.OBIE.IBAN' | 'UK.OBIE.Paym' | 'Tillway.Alias' | 'Tillway.CustomerId';

export interface CashAccount {
  SchemeName: Scheme;
  Identification: string;
  Name?: string;
}

/** An amount of the standard: decimals of its currency, never a sign. */
export interface AmountOf {
  Amount: string;
  Currency: string;
}

export type CreditDebit = 'Credit' | 'Debit';

/** The standard tells the sign apart from the amount. Zero is a credit. */
export function signed(minor: bigint, currency: string): { CreditDebitIndicator: CreditDebit; Amount: AmountOf } {
  return {
    CreditDebitIndicator: minor < 0n ? 'Debit' : 'Credit',
    Amount: amount(minor < 0n ? -minor : minor, currency),
  };
}

export function amount(minor: bigint, currency: string): AmountOf {
  return { Amount: formatAmount(minor, currency), Currency: currency };
}

/** The beginning of a text that is too long for its field; undefined where there is none, for the standard has no empty text. */
export function atMost(text: string | null | undefined, length: number): string | undefined {
  return [...(text ?? '')].slice(0, length).join('') || undefined;
}
