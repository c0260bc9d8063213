import { DomainError } from '../../domain/errors';
import { exponentOf, isCurrency, MAX_MINOR } from '../../domain/money';

export const FORMATS = ['camt.053', 'camt.054', 'mt940', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

/** A line of a statement as its bank wrote it. */
export interface ParsedLine {
  /** Of the account: a credit is money that came. */
  direction: 'credit' | 'debit';
  /** The bank takes an earlier line back; the direction is that of this line. */
  isReversal: boolean;
  /** Above zero. */
  amountMinor: bigint;
  currency: string;
  /** YYYY-MM-DD */
  bookedOn: string;
  bankReference?: string;
  endToEnd?: string;
  creditorReference?: string;
  text: string;
  /** The other side: the payer of a credit. */
  payerName?: string;
  payerIban?: string;
}

/** A balance that the bank states, in minor units; negative: overdrawn. */
export interface Balance {
  amountMinor: bigint;
  currency: string;
  /** YYYY-MM-DD */
  on: string;
}

/** What a file says, in its order: each statement begins, has lines, and ends. */
export type Part =
  | { kind: 'begins'; format: Format; version?: string; account?: string; reference?: string }
  | { kind: 'line'; line: ParsedLine }
  | { kind: 'ends'; opening?: Balance; closing?: Balance };

/** A statement that is not taken, and why. Nothing of it is kept. */
export function refuseStatement(message: string): never {
  throw new DomainError('statement_refused', message);
}

/**
 * Minor units of an amount as banks write it: without a sign, with at most the decimals of the currency, after a point. Throws
 * `statement_refused`.
 */
export function minorOf(text: string, currency: string): bigint {
  if (!isCurrency(currency)) refuseStatement('The statement names a currency that is none');
  const [, whole, decimals = ''] = /^(\d{1,19})(?:\.(\d{0,10}))?$/.exec(text) ?? [];
  const exponent = exponentOf(currency);
  const digits = decimals.replace(/0+$/, '').padEnd(exponent, '0');
  if (whole === undefined || digits.length > exponent)
    return refuseStatement('An amount of the statement cannot be read');
  const minor = BigInt(whole + digits);
  return minor > MAX_MINOR ? refuseStatement('An amount of the statement is too large') : minor;
}

/** YYYY-MM-DD of a day of the calendar. Throws `statement_refused`. */
export function dayOf(year: string, month: string, day: string): string {
  const text = `${year}-${month}-${day}`;
  const date = new Date(`${text}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text)
    refuseStatement('A date of the statement cannot be read');
  return text;
}

const MOST_TEXT = 1_000;

/** What a text column takes: nothing that is no character, and not without end. */
export function kept(text: string, most = MOST_TEXT): string {
  return text
    .replace(/[\0\p{Surrogate}]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, most);
}

/** The same, where nothing is nothing. */
export function keptOrNothing(text: string | undefined, most = 140): string | undefined {
  return (text !== undefined && kept(text, most)) || undefined;
}
