import type { Knex } from 'knex';
import type { PaymentKind } from '../../domain/connector';
import { refuse } from '../../domain/errors';
import type { ResultCode } from '../../domain/result-codes';
import { endedWithoutMoney, hasTakenMoney, type PaymentStatus } from '../../domain/states/payment';
import type { Database } from '../../foundation/db/database';
import { madeBetween } from './made-between';
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

/** One group of payments, as the database counts them. */
interface Group {
  currency: string;
  kind: PaymentKind;
  status: PaymentStatus;
  code: ResultCode;
  at: Date;
  count: bigint;
  amount: string;
  captured: string;
  charged_back_count: bigint;
  charged_back: string;
}

/**
 * Counts an organization's payments of a part of time, in one pass over them along the index of their ids, and adds nothing
 * of one currency to another. `lagMs`: see `madeBetween`. Throws `invalid_request` for a time zone that the database does not know.
 */
export async function paymentStatistics(
  database: Database,
  scope: PaymentScope,
  query: StatisticsQuery,
  lagMs: number,
): Promise<CurrencyStatistics[]> {
  try {
    return await database.tenant(scope.tenantId, async (trx) => {
      const groups = await groupsOf(trx, scope, query, lagMs);
      const refunds = await refundsOf(trx, scope, query, lagMs);
      const fees = await feesOf(trx, scope, query, lagMs);
      const codes = [...new Set([...groups, ...refunds].map(({ currency }) => currency))].sort();
      return codes.map((currency) => {
        const mine = groups.filter((group) => group.currency === currency);
        const given = refunds.filter((refund) => refund.currency === currency);
        return {
          currency,
          ...summed(mine, given),
          feesMinor: fees.get(currency) ?? 0n,
          refusals: refusalsIn(mine),
          kinds: kindsIn(mine),
          intervals: intervalsIn(mine, given),
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

function groupsOf(trx: Knex.Transaction, scope: PaymentScope, query: StatisticsQuery, lagMs: number): Promise<Group[]> {
  const rows = trx('payments')
    .where(ownedBy(scope))
    // The rows come nearly in the order of their time, and times and codes compare faster than words.
    .groupByRaw('1, 2, 3, 4, 5')
    .select(
      trx.raw('date_trunc(?, created_at, ?) AS at', [query.interval, query.timeZone]),
      'result_code as code',
      'status',
      'kind',
      'currency',
      trx.raw(`count(*) AS count, sum(amount_minor)::text AS amount, sum(captured_minor)::text AS captured,
        count(*) FILTER (WHERE charged_back_minor > 0) AS charged_back_count,
        sum(charged_back_minor)::text AS charged_back`),
    );
  if (query.currency) rows.where({ currency: query.currency });
  return madeBetween(rows, 'payment', query, lagMs) as unknown as Promise<Group[]>;
}

interface RefundGroup {
  currency: string;
  at: Date;
  count: bigint;
  amount: string;
}

function refundsOf(
  trx: Knex.Transaction,
  { terminalId, organizationId }: PaymentScope,
  query: StatisticsQuery,
  lagMs: number,
): Promise<RefundGroup[]> {
  const rows = trx('refunds')
    .where({ organization_id: organizationId, status: 'succeeded' })
    .groupByRaw('1, 2')
    .select(
      'currency',
      trx.raw('date_trunc(?, created_at, ?) AS at', [query.interval, query.timeZone]),
      trx.raw('count(*) AS count, sum(amount_minor)::text AS amount'),
    );
  if (query.currency) rows.where({ currency: query.currency });
  if (terminalId)
    rows.whereExists(
      trx('payments').whereRaw('payments.id = refunds.payment_id').where({ terminal_id: terminalId }).select('id'),
    );
  return madeBetween(rows, 'refund', query, lagMs) as unknown as Promise<RefundGroup[]>;
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

function plus(sum: Sum, count: bigint, amount: string): Sum {
  return { count: sum.count + count, amountMinor: sum.amountMinor + BigInt(amount) };
}

function summed(groups: readonly Group[], refunds: readonly RefundGroup[]): Sums {
  const sums: Sums = {
    accepted: NOTHING,
    taken: NOTHING,
    refused: NOTHING,
    unpaid: NOTHING,
    open: NOTHING,
    refunded: NOTHING,
    chargedBack: NOTHING,
  };
  for (const group of groups) {
    const { count, amount } = group;
    sums.accepted = plus(sums.accepted, count, amount);
    const end = endOf(group.status);
    sums[end] = plus(sums[end], count, end === 'taken' ? group.captured : amount);
    sums.chargedBack = plus(sums.chargedBack, group.charged_back_count, group.charged_back);
  }
  for (const { count, amount } of refunds) sums.refunded = plus(sums.refunded, count, amount);
  return sums;
}

function endOf(status: PaymentStatus): 'taken' | 'refused' | 'unpaid' | 'open' {
  if (hasTakenMoney(status)) return 'taken';
  if (!endedWithoutMoney(status)) return 'open';
  return status === 'failed' ? 'refused' : 'unpaid';
}

function refusalsIn(groups: readonly Group[]): CurrencyStatistics['refusals'] {
  const refused = groups.filter(({ status }) => endOf(status) === 'refused');
  return by(refused, ({ code }) => code)
    .map(([code, of]) => ({ code, ...total(of) }))
    .sort((one, other) => Number(other.count - one.count) || one.code - other.code);
}

function kindsIn(groups: readonly Group[]): CurrencyStatistics['kinds'] {
  return by(groups, ({ kind }) => kind)
    .map(([kind, of]) => {
      const { accepted, taken, refused } = summed(of, []);
      return { kind, accepted, taken, refused };
    })
    .sort((one, other) => Number(other.accepted.count - one.accepted.count) || (one.kind < other.kind ? -1 : 1));
}

function intervalsIn(groups: readonly Group[], refunds: readonly RefundGroup[]): CurrencyStatistics['intervals'] {
  const times = [...new Set([...groups, ...refunds].map(({ at }) => at.getTime()))].sort((a, b) => a - b);
  const groupsAt = new Map(by(groups, ({ at }) => at.getTime()));
  const refundsAt = new Map(by(refunds, ({ at }) => at.getTime()));
  return times.map((time) => ({
    at: new Date(time),
    ...summed(groupsAt.get(time) ?? [], refundsAt.get(time) ?? []),
  }));
}

function total(groups: readonly Group[]): Sum {
  return groups.reduce((sum, { count, amount }) => plus(sum, count, amount), NOTHING);
}

function by<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): [Key, Row[]][] {
  const parts = new Map<Key, Row[]>();
  for (const row of rows) parts.set(keyOf(row), [...(parts.get(keyOf(row)) ?? []), row]);
  return [...parts];
}
