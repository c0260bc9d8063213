import type { Knex } from 'knex';
import type { PaymentKind } from '../../domain/connector';
import { refuse } from '../../domain/errors';
import type { ResultCode } from '../../domain/result-codes';
import type { Database } from '../../foundation/db/database';
import { madeBetween, SKEW_MS } from './made-between';
import type { PaymentScope } from './visible';

export const INTERVALS = ['hour', 'day'] as const;
export type Interval = (typeof INTERVALS)[number];

/** The payments accepted from `from` on and before `to`, and the refunds asked for meanwhile. */
export interface StatisticsQuery {
  from: string;
  to: string;
  interval: Interval;
  /** IANA name: where hours and days begin. */
  timeZone: string;
  currency?: string;
}

/** How many, and how much in minor units. */
export interface Sum {
  count: bigint;
  amountMinor: bigint;
}

/** What became of payments, in one currency. Every accepted payment is in one of taken, refused, unpaid and open. */
export interface Sums {
  accepted: Sum;
  /** They have taken money; the amount is what was captured, before refunds and disputes. */
  taken: Sum;
  refused: Sum;
  /** Cancelled, or their time was up. */
  unpaid: Sum;
  open: Sum;
  refunded: Sum;
  chargedBack: Sum;
}

export interface CurrencyStatistics extends Sums {
  currency: string;
  /** Fees that the tenant keeps of what was taken, less what it gave back of them. Minor units. */
  feesMinor: bigint;
  refusals: { code: ResultCode; count: bigint; amountMinor: bigint }[];
  kinds: ({ kind: PaymentKind } & Pick<Sums, 'accepted' | 'taken' | 'refused'>)[];
  /** Oldest first; those in which nothing happened are left out. */
  intervals: ({ at: Date } & Sums)[];
}

/** Sums of one interval, where `at` is its begin; otherwise of one kind and code, over all intervals. Counts are texts too. */
interface Counted
  extends Record<`${'taken' | 'refused' | 'unpaid' | 'open' | 'charged_back' | 'refunded'}_count`, string> {
  currency: string;
  at: Date | null;
  kind: PaymentKind | null;
  code: ResultCode | null;
  taken_accepted_minor: string;
  taken_minor: string;
  refused_minor: string;
  unpaid_minor: string;
  open_minor: string;
  charged_back_minor: string;
  refunded_minor: string;
}

/**
 * Counts an organization's payments of a part of time (`payment_statistics.sql`), and adds nothing of one currency to another.
 * Whole hours are read from sums; of a tenant's house the fees are read top-up by top-up. `lagMs`:
 * see `madeBetween`. Throws `invalid_request` for a time zone that the database does not know.
 */
export async function paymentStatistics(
  database: Database,
  scope: PaymentScope,
  query: StatisticsQuery,
  lagMs: number,
): Promise<CurrencyStatistics[]> {
  try {
    return await database.tenant(scope.tenantId, async (trx) => {
      const counted = await countedOf(trx, scope, query, lagMs);
      const fees = await feesOf(trx, scope, query, lagMs);
      return by(counted, ({ currency }) => currency)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([currency, rows]) => {
          const intervals = rows.filter(({ at }) => at);
          const parts = rows.filter(({ at }) => !at);
          return {
            currency,
            ...summed(intervals),
            feesMinor: fees.get(currency) ?? 0n,
            refusals: refusalsIn(parts),
            kinds: kindsIn(parts),
            intervals: intervals
              .map((row) => ({ at: row.at!, ...summed([row]) }))
              .sort((one, other) => one.at.getTime() - other.at.getTime()),
          };
        });
    });
  } catch (error) {
    if ((error as { code?: string }).code !== INVALID_PARAMETER) throw error;
    refuse('timeZone', 'is no time zone that the database knows, such as Europe/Lisbon');
  }
}

/** SQLSTATE invalid_parameter_value. */
const INVALID_PARAMETER = '22023';

async function countedOf(
  trx: Knex.Transaction,
  { organizationId, terminalId }: PaymentScope,
  { from, to, interval, timeZone, currency }: StatisticsQuery,
  lagMs: number,
): Promise<Counted[]> {
  const values = [organizationId, terminalId ?? null, from, to, interval, timeZone, currency ?? null, lagMs, SKEW_MS];
  const { rows } = await trx.raw(
    `SELECT * FROM payment_statistics(?, ?, ?, ?, ?, ?, ?, ? * interval '1 millisecond', ? * interval '1 millisecond')`,
    values as Knex.Value[],
  );
  return rows;
}

/** Fees stand on top-ups, and top-ups are of the tenant's house: nothing of another organization is read. */
async function feesOf(
  trx: Knex.Transaction,
  scope: PaymentScope,
  query: StatisticsQuery,
  lagMs: number,
): Promise<Map<string, bigint>> {
  const wallets = trx('payments')
    .where({ ...ownedBy(scope), beneficiary: 'wallet' })
    .where('captured_minor', '>', 0)
    .whereExists(trx('organizations').where({ id: scope.organizationId, house: true }).select('id'))
    .select('id');
  if (query.currency) wallets.where({ currency: query.currency });
  const rows: { currency: string; fees: string }[] = await trx('topups')
    .whereIn('payment_id', madeBetween(wallets, 'payment', query, lagMs))
    .groupBy('currency')
    .select('currency', trx.raw('sum(fee_minor - fee_returned_minor)::text AS fees'));
  return new Map(rows.map(({ currency, fees }) => [currency, BigInt(fees)]));
}

function ownedBy({ organizationId, terminalId }: PaymentScope) {
  return { organization_id: organizationId, ...(terminalId && { terminal_id: terminalId }) };
}

const NOTHING: Sum = { count: 0n, amountMinor: 0n };

function plus(sum: Sum, count: string, amount: string): Sum {
  return { count: sum.count + BigInt(count), amountMinor: sum.amountMinor + BigInt(amount) };
}

function summed(rows: readonly Counted[]): Sums {
  const sum = (one: (row: Counted) => [count: string, amount: string]) =>
    rows.reduce((all, row) => plus(all, ...one(row)), NOTHING);
  const refused = sum((row) => [row.refused_count, row.refused_minor]);
  const unpaid = sum((row) => [row.unpaid_count, row.unpaid_minor]);
  const open = sum((row) => [row.open_count, row.open_minor]);
  const asked = sum((row) => [row.taken_count, row.taken_accepted_minor]);
  return {
    accepted: [refused, unpaid, open].reduce(
      (all, one) => ({ count: all.count + one.count, amountMinor: all.amountMinor + one.amountMinor }),
      asked,
    ),
    taken: sum((row) => [row.taken_count, row.taken_minor]),
    refused,
    unpaid,
    open,
    refunded: sum((row) => [row.refunded_count, row.refunded_minor]),
    chargedBack: sum((row) => [row.charged_back_count, row.charged_back_minor]),
  };
}

function refusalsIn(rows: readonly Counted[]): CurrencyStatistics['refusals'] {
  return by(rows, ({ code }) => code!)
    .map(([code, of]) => ({ code, ...summed(of).refused }))
    .filter(({ count }) => count > 0n)
    .sort((one, other) => Number(other.count - one.count) || one.code - other.code);
}

function kindsIn(rows: readonly Counted[]): CurrencyStatistics['kinds'] {
  return by(rows, ({ kind }) => kind!)
    .map(([kind, of]) => {
      const { accepted, taken, refused } = summed(of);
      return { kind, accepted, taken, refused };
    })
    .sort((one, other) => Number(other.accepted.count - one.accepted.count) || (one.kind < other.kind ? -1 : 1));
}

function by<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): [Key, Row[]][] {
  const parts = new Map<Key, Row[]>();
  for (const row of rows) {
    const part = parts.get(keyOf(row));
    if (part) part.push(row);
    else parts.set(keyOf(row), [row]);
  }
  return [...parts];
}
