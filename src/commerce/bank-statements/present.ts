import { formatAmount } from '../../domain/money';
import type { BankAccountRow } from './account';
import type { BankLineRow, BankStatementRow } from './statement';

/** An account as the API shows it: its number is what buyers are shown, and no secret. */
export function presentBankAccount(row: BankAccountRow): Record<string, unknown> {
  return {
    accountId: row.id,
    iban: row.iban,
    bic: row.bic ?? undefined,
    bankName: row.bank_name ?? undefined,
    holder: row.holder,
    currency: row.currency,
    status: row.status,
    csv: row.csv_mapping ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** `currency`: of its account. `outcomes`: how many lines came to what, where that is asked for. */
export function presentBankStatement(
  row: BankStatementRow,
  currency: string,
  outcomes?: Record<string, number>,
): Record<string, unknown> {
  const shown = (minor: bigint) => formatAmount(minor, currency);
  return {
    statementId: row.id,
    accountId: row.account_id,
    format: row.format,
    version: row.version ?? undefined,
    reference: row.reference ?? undefined,
    currency,
    openingBalance: row.opening_minor === null ? undefined : shown(row.opening_minor),
    closingBalance: row.closing_minor === null ? undefined : shown(row.closing_minor),
    closingOn: row.closing_on ?? undefined,
    lines: row.lines,
    credits: shown(row.credits_minor),
    debits: shown(row.debits_minor),
    bookedLines: row.booked_lines,
    status: row.status,
    outcomes,
    createdAt: row.created_at,
    bookedAt: row.booked_at ?? undefined,
  };
}

export function presentBankLine(row: BankLineRow, currency: string): Record<string, unknown> {
  return {
    number: row.number,
    direction: row.direction,
    reversal: row.is_reversal,
    amount: formatAmount(row.amount_minor, currency),
    bookedOn: row.booked_on,
    bankReference: row.bank_reference ?? undefined,
    creditorReference: row.creditor_reference ?? undefined,
    endToEndId: row.end_to_end ?? undefined,
    text: row.text,
    payerName: row.payer_name ?? undefined,
    payerIban: row.iban_last4 ? `${row.iban_country}**${row.iban_last4}` : undefined,
    outcome: row.outcome ?? undefined,
  };
}
