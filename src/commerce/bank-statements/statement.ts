import type { Format } from './parsed';

export const STATEMENT_STATUSES = ['stored', 'booked'] as const;
export type StatementStatus = (typeof STATEMENT_STATUSES)[number];

/** What became of a line, once it is booked. */
export const OUTCOMES = ['matched', 'returned', 'proposed', 'unmatched', 'known', 'outgoing', 'other'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One row of `bank_statements`. Amounts are minor units of the account's currency. */
export interface BankStatementRow {
  id: string;
  tenant_id: string;
  account_id: string;
  format: Format;
  version: string | null;
  digest: Buffer;
  reference: string | null;
  opening_minor: bigint | null;
  closing_minor: bigint | null;
  /** YYYY-MM-DD */
  closing_on: string | null;
  lines: number;
  credits_minor: bigint;
  debits_minor: bigint;
  booked_lines: number;
  status: StatementStatus;
  uploaded_by: string;
  created_at: Date;
  booked_at: Date | null;
}

/** One row of `bank_statement_lines`. The account number of the other side is sealed. */
export interface BankLineRow {
  id: string;
  tenant_id: string;
  statement_id: string;
  number: number;
  direction: 'credit' | 'debit';
  is_reversal: boolean;
  amount_minor: bigint;
  /** YYYY-MM-DD */
  booked_on: string;
  bank_reference: string | null;
  fingerprint: Buffer;
  end_to_end: string | null;
  creditor_reference: string | null;
  text: string;
  payer_name: string | null;
  iban_sealed: Buffer | null;
  iban_country: string | null;
  iban_last4: string | null;
  outcome: Outcome | null;
}
