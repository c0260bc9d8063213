import type { Knex } from 'knex';
import { notFound } from '../../domain/errors';
import { formatAmount } from '../../domain/money';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import type { Page } from '../../foundation/db/page';
import type { Seller } from './reckoning';
import type { Schedule, ScheduleKind } from './schedule';

/** One row of `payout_terms`. Amounts are minor units. */
export interface TermsRow {
  id: bigint;
  tenant_id: string;
  /** Null: of every organization that has no terms of its own. */
  organization_id: string | null;
  currency: string;
  schedule: ScheduleKind;
  weekday: number | null;
  day_of_month: number | null;
  minimum_minor: bigint;
  reserve_basis_points: number;
  reserve_days: number;
  effective_from: Date;
  created_by: string;
  created_at: Date;
}

/** On what terms a seller is paid out. */
export type Terms = Pick<
  TermsRow,
  'schedule' | 'weekday' | 'day_of_month' | 'minimum_minor' | 'reserve_basis_points' | 'reserve_days'
>;

/** Where nobody has set any. */
export const DEFAULT_TERMS: Terms = {
  schedule: 'on_demand',
  weekday: null,
  day_of_month: null,
  minimum_minor: 0n,
  reserve_basis_points: 0,
  reserve_days: 0,
};

export const scheduleOf = ({ schedule, weekday, day_of_month: dayOfMonth }: Terms): Schedule => ({
  schedule,
  weekday,
  dayOfMonth,
});

/** The seller's own terms in effect, else those of the tenant, else the default. */
export async function termsFor(
  trx: Knex.Transaction,
  { tenantId, organizationId, currency }: Seller,
  now: Date,
): Promise<Terms> {
  const row: TermsRow | undefined = await trx('payout_terms')
    .where({ tenant_id: tenantId, currency })
    .where('effective_from', '<=', now)
    .where((own) => own.where({ organization_id: organizationId }).orWhereNull('organization_id'))
    .orderByRaw('organization_id IS NULL, effective_from DESC, id DESC')
    .first();
  return row ?? DEFAULT_TERMS;
}

export interface NewTerms extends Schedule {
  organizationId?: string;
  currency: string;
  minimumMinor: bigint;
  reserveBasisPoints: number;
  reserveDays: number;
  /** Absent: from now on. */
  effectiveFrom?: Date;
}

/**
 * Writes down another version of the terms, and in the audit log who did. Sellers whom they reach are looked at when they
 * take effect. Throws `not_found` for an organization of somebody else.
 */
export async function addTerms(
  trx: Knex.Transaction,
  tenantId: string,
  actor: Actor,
  terms: NewTerms,
): Promise<TermsRow> {
  const { organizationId, currency } = terms;
  if (organizationId && !(await trx('organizations').where({ id: organizationId, tenant_id: tenantId }).first('id')))
    throw notFound('organization');
  const effectiveFrom = terms.effectiveFrom ?? new Date();
  const [row]: TermsRow[] = await trx('payout_terms')
    .insert({
      tenant_id: tenantId,
      organization_id: organizationId ?? null,
      currency,
      schedule: terms.schedule,
      weekday: terms.weekday ?? null,
      day_of_month: terms.dayOfMonth ?? null,
      minimum_minor: String(terms.minimumMinor),
      reserve_basis_points: terms.reserveBasisPoints,
      reserve_days: terms.reserveDays,
      effective_from: effectiveFrom,
      created_by: actor.id,
    })
    .returning('*');
  await lookAgain(trx, { tenantId, organizationId, currency }, effectiveFrom);
  await noteDone(trx, tenantId, actor, 'payouts.terms', organizationId ?? tenantId, {
    currency,
    schedule: terms.schedule,
    minimum: formatAmount(terms.minimumMinor, currency),
    reserveBasisPoints: terms.reserveBasisPoints,
    reserveDays: terms.reserveDays,
    effectiveFrom,
  });
  return row!;
}

/** Has the schedule of the tenant's sellers in a currency, or of one, be set anew at an instant. */
async function lookAgain(
  trx: Knex.Transaction,
  { tenantId, organizationId, currency }: { tenantId: string; organizationId?: string; currency: string },
  at: Date,
): Promise<void> {
  const positions = trx('payout_positions').where({ tenant_id: tenantId, currency });
  if (organizationId) positions.where({ organization_id: organizationId });
  // A date that is due already stays due: least() passes over what is not set.
  await positions.update({ next_run_at: trx.raw('least(next_run_at, ?::timestamptz)', [at]) });
}

export interface TermsFilter extends Page {
  organizationId?: string;
  currency?: string;
}

/** Up to `limit + 1` versions, newest first. A merchant (`seesOnly`) sees its own and those of everybody. */
export function termsVersions(
  trx: Knex.Transaction,
  { limit, cursor, organizationId, currency }: TermsFilter,
  seesOnly?: string,
): Promise<TermsRow[]> {
  const rows = trx('payout_terms')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  if (cursor) rows.where('id', '<', cursor);
  if (currency) rows.where({ currency });
  if (organizationId) rows.where({ organization_id: organizationId });
  if (seesOnly) rows.where((own) => own.where({ organization_id: seesOnly }).orWhereNull('organization_id'));
  return rows;
}
