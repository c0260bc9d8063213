import { formatAmount } from '../../domain/money';
import { type AccountRow, maskedIban } from './account';
import type { Accounts } from './accounts';
import type { Standing } from './order';
import type { RunRow } from './runs';
import type { TermsRow } from './terms';

/** One account. `iban`: the whole number, for its owner only. */
export function presentAccount(row: AccountRow, iban = maskedIban(row)): Record<string, unknown> {
  return {
    accountId: row.id,
    iban,
    holder: row.holder,
    ...(row.bic && { bic: row.bic }),
    status: row.status,
    effectiveFrom: row.effective_from,
    ...(row.verified_at && { verifiedAt: row.verified_at }),
    createdAt: row.created_at,
  };
}

/** The accounts of an organization. `ibanOf`: how much of the numbers is shown. */
export function presentAccounts(
  organizationId: string,
  { inEffect, history }: Accounts,
  ibanOf?: (row: AccountRow) => string,
): Record<string, unknown> {
  const shown = (row: AccountRow) => presentAccount(row, ibanOf?.(row));
  return { organizationId, ...(inEffect && { inEffect: shown(inEffect) }), history: history.map(shown) };
}

export function presentTerms(row: TermsRow): Record<string, unknown> {
  return {
    termsId: `${row.id}`,
    ...(row.organization_id && { organizationId: row.organization_id }),
    currency: row.currency,
    schedule: row.schedule,
    ...(row.weekday !== null && { weekday: row.weekday }),
    ...(row.day_of_month !== null && { dayOfMonth: row.day_of_month }),
    minimum: formatAmount(row.minimum_minor, row.currency),
    reserveBasisPoints: row.reserve_basis_points,
    reserveDays: row.reserve_days,
    effectiveFrom: row.effective_from,
    createdAt: row.created_at,
  };
}

export function presentRun(row: RunRow): Record<string, unknown> {
  return {
    runId: `${row.id}`,
    organizationId: row.organization_id,
    currency: row.currency,
    dueAt: row.due_at,
    outcome: row.outcome,
    detail: row.detail,
    available: formatAmount(row.available_minor, row.currency),
    ...(row.payout_id && { payoutId: row.payout_id }),
    createdAt: row.created_at,
  };
}

/** What could be paid out now, and why it is no more. */
export function presentStanding(
  { organizationId, currency }: { organizationId: string; currency: string },
  standing: Standing,
): Record<string, unknown> {
  const shown = (minor: bigint) => formatAmount(minor, currency);
  return {
    organizationId,
    currency,
    balance: shown(standing.balanceMinor),
    unsettled: shown(standing.unsettledMinor),
    refunding: shown(standing.refundingMinor),
    reserveToHold: shown(standing.reserveMinor),
    reserveToRelease: shown(standing.reserveDueMinor),
    available: shown(standing.availableMinor),
    minimum: shown(standing.terms.minimum_minor),
  };
}
