import type { Knex } from 'knex';
import { refuse } from '../../domain/errors';
import type { Operation } from '../../domain/operation';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';

/** What is limited; absent: unlimited, or for a customer as the tenant has it. Amounts in minor units. */
export interface Limits {
  perTransactionMinor?: bigint;
  dailyMinor?: bigint;
  dailyCount?: number;
  monthlyMinor?: bigint;
  monthlyCount?: number;
}

/** Names limits: for a customer, or for the whole tenant where `customerId` is absent. */
export interface LimitSubject {
  customerId?: string;
  operation: Operation;
  currency: string;
}

interface LimitColumns {
  per_transaction_minor: bigint | null;
  daily_minor: bigint | null;
  daily_count: number | null;
  monthly_minor: bigint | null;
  monthly_count: number | null;
}

interface LimitRow extends LimitColumns {
  customer_id: string | null;
  operation: Operation;
  currency: string;
}

/**
 * Puts limits in place of those there were, and writes down who did. Throws `invalid_request` for a customer who is not
 * the tenant's.
 */
export async function setLimits(
  trx: Knex.Transaction,
  tenantId: string,
  actor: Actor,
  { customerId, operation, currency }: LimitSubject,
  limits: Limits,
): Promise<void> {
  if (customerId && !(await trx('customers').where({ id: customerId }).whereNull('deleted_at').first('id')))
    refuse('customerId', 'is not a customer of this tenant');
  const exact = (figure: bigint | number | undefined) => (figure === undefined ? null : String(figure));
  await trx.raw(
    `INSERT INTO limits (tenant_id, customer_id, operation, currency, per_transaction_minor, daily_minor, daily_count,
        monthly_minor, monthly_count, updated_by)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT ON CONSTRAINT limits_once DO UPDATE SET per_transaction_minor = excluded.per_transaction_minor,
        daily_minor = excluded.daily_minor, daily_count = excluded.daily_count, monthly_minor = excluded.monthly_minor,
        monthly_count = excluded.monthly_count, updated_by = excluded.updated_by, updated_at = clock_timestamp()`,
    [
      tenantId,
      customerId ?? null,
      operation,
      currency,
      exact(limits.perTransactionMinor),
      exact(limits.dailyMinor),
      exact(limits.dailyCount),
      exact(limits.monthlyMinor),
      exact(limits.monthlyCount),
      actor.id,
    ] as Knex.Value[],
  );
  await noteDone(trx, tenantId, actor, 'limits.set', customerId ?? tenantId, { operation, currency, ...limits });
}

export interface LimitFilter {
  limit: number;
  /** `keyOf` the limits after which the page starts. */
  cursor?: string;
  customerId?: string;
  operation?: Operation;
  currency?: string;
}

export type SetLimits = LimitSubject & Limits;

/** Up to `limit + 1` limits as they were set: the tenant's first, then by customer. */
export async function limitsSet(
  trx: Knex.Transaction,
  { limit, cursor, ...filter }: LimitFilter,
): Promise<SetLimits[]> {
  const query = trx('limits')
    .orderByRaw("coalesce(customer_id, ''), operation, currency")
    .limit(limit + 1);
  if (cursor) {
    const [customer = '', operation = '', currency = ''] = cursor.split(' ');
    query.whereRaw("(coalesce(customer_id, ''), operation::text, currency::text) > (?, ?, ?)", [
      customer,
      operation,
      currency,
    ]);
  }
  if (filter.customerId) query.where({ customer_id: filter.customerId });
  if (filter.operation) query.where({ operation: filter.operation });
  if (filter.currency) query.where({ currency: filter.currency });
  const rows: LimitRow[] = await query;
  return rows.map((row) => ({
    ...(row.customer_id !== null && { customerId: row.customer_id }),
    operation: row.operation,
    currency: row.currency,
    ...limitsIn(row),
  }));
}

/** Where limits stand in their list. */
export function keyOf({ customerId = '', operation, currency }: LimitSubject): string {
  return `${customerId} ${operation} ${currency}`;
}

/** The limits that hold for a customer, and what of them is used. */
export interface Allowance extends Limits {
  operation: Operation;
  currency: string;
  used: { dailyMinor: bigint; dailyCount: number; monthlyMinor: bigint; monthlyCount: number };
}

/** The allowance of a customer in everything that is limited for the customer or that the customer ever did. */
export async function allowancesOf(trx: Knex.Transaction, tenantId: string, customerId: string): Promise<Allowance[]> {
  const { rows } = await trx.raw(
    `SELECT k.operation, k.currency, l.per_transaction AS per_transaction_minor, l.daily_amount AS daily_minor,
        l.daily_times AS daily_count, l.monthly_amount AS monthly_minor, l.monthly_times AS monthly_count,
        coalesce(c.day_minor, 0)::text AS used_day, coalesce(c.day_count, 0) AS used_day_count,
        coalesce(c.month_minor, 0)::text AS used_month, coalesce(c.month_count, 0) AS used_month_count
      FROM (SELECT operation, currency FROM limits WHERE customer_id = :customer OR customer_id IS NULL
        UNION SELECT operation, currency FROM allowance_counters WHERE customer_id = :customer) k
      CROSS JOIN LATERAL limits_of(:tenant, :customer, k.operation, k.currency) l
      LEFT JOIN LATERAL (SELECT CASE WHEN day = utc_today() THEN day_minor END AS day_minor,
          CASE WHEN day = utc_today() THEN day_count END AS day_count, month_minor, month_count
        FROM allowance_counters WHERE customer_id = :customer AND operation = k.operation AND currency = k.currency
          AND date_trunc('month', day) = date_trunc('month', utc_today())) c ON true
      ORDER BY k.operation, k.currency`,
    { customer: customerId, tenant: tenantId },
  );
  return rows.map(
    (row: LimitRow & { used_day: string; used_day_count: number; used_month: string; used_month_count: number }) => ({
      operation: row.operation,
      currency: row.currency,
      ...limitsIn(row),
      used: {
        dailyMinor: BigInt(row.used_day),
        dailyCount: row.used_day_count,
        monthlyMinor: BigInt(row.used_month),
        monthlyCount: row.used_month_count,
      },
    }),
  );
}

function limitsIn(row: LimitColumns): Limits {
  return {
    ...(row.per_transaction_minor !== null && { perTransactionMinor: row.per_transaction_minor }),
    ...(row.daily_minor !== null && { dailyMinor: row.daily_minor }),
    ...(row.daily_count !== null && { dailyCount: row.daily_count }),
    ...(row.monthly_minor !== null && { monthlyMinor: row.monthly_minor }),
    ...(row.monthly_count !== null && { monthlyCount: row.monthly_count }),
  };
}
