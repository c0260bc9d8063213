import type { Knex } from 'knex';
import { endedWithoutMoney, hasTakenMoney, type PaymentStatus } from '../../../../../src/domain/states/payment';
import type { StatisticsQuery } from '../../../../../src/money/payments/statistics';

interface Row {
  at: Date;
  currency: string;
  kind: string;
  code: number;
  status: PaymentStatus | 'refund';
  count: bigint;
  amount: bigint;
  captured: bigint;
  charged_back_count: bigint;
  charged_back: bigint;
}

/** The statistics of an organization, counted from the rows of payments and refunds themselves. */
export async function countedDirectly(
  trx: Knex.Transaction,
  { organizationId, terminalId }: { organizationId: string; terminalId?: string },
  { from, to, interval, timeZone, currency }: StatisticsQuery,
) {
  const { rows }: { rows: Row[] } = await trx.raw(
    `SELECT date_trunc(:interval, created_at, :timeZone) AS at, currency, kind, code, status, count(*) AS count,
       sum(amount_minor)::bigint AS amount, sum(captured_minor)::bigint AS captured,
       count(*) FILTER (WHERE charged_back_minor > 0) AS charged_back_count, sum(charged_back_minor)::bigint AS charged_back
     FROM (SELECT created_at, currency, kind, result_code AS code, status, amount_minor, captured_minor, charged_back_minor,
         organization_id, terminal_id FROM payments
       UNION ALL SELECT r.created_at, r.currency, '', 0, 'refund', r.amount_minor, 0, 0, r.organization_id, p.terminal_id
         FROM refunds r JOIN payments p ON p.id = r.payment_id WHERE r.status = 'succeeded') t
     WHERE organization_id = :organizationId AND (:terminalId::text IS NULL OR terminal_id = :terminalId)
       AND created_at >= :from AND created_at < :to AND (:currency::text IS NULL OR currency = :currency)
     GROUP BY 1, 2, 3, 4, 5`,
    { organizationId, terminalId: terminalId ?? null, from, to, interval, timeZone, currency: currency ?? null },
  );
  const codes = [...new Set(rows.map((row) => row.currency))].sort();
  return codes.map((code) => {
    const mine = rows.filter((row) => row.currency === code);
    const payments = mine.filter(({ status }) => status !== 'refund');
    const refused = payments.filter(({ status }) => status === 'failed');
    const times = [...new Set(mine.map(({ at }) => at.getTime()))].sort((a, b) => a - b);
    return {
      currency: code,
      ...sumsOf(mine),
      feesMinor: 0n,
      refusals: [...new Set(refused.map((row) => row.code))]
        .map((reason) => ({ code: reason, ...sumOf(refused.filter((row) => row.code === reason)) }))
        .sort((one, other) => Number(other.count - one.count) || one.code - other.code),
      kinds: [...new Set(payments.map(({ kind }) => kind))]
        .map((kind) => {
          const { accepted, taken, refused: declined } = sumsOf(payments.filter((row) => row.kind === kind));
          return { kind, accepted, taken, refused: declined };
        })
        .sort((one, other) => Number(other.accepted.count - one.accepted.count) || (one.kind < other.kind ? -1 : 1)),
      intervals: times.map((time) => ({
        at: new Date(time),
        ...sumsOf(mine.filter(({ at }) => at.getTime() === time)),
      })),
    };
  });
}

function sumOf(rows: readonly Row[], amountOf: (row: Row) => bigint = ({ amount }) => amount) {
  return {
    count: rows.reduce((sum, { count }) => sum + count, 0n),
    amountMinor: rows.reduce((sum, row) => sum + amountOf(row), 0n),
  };
}

function sumsOf(rows: readonly Row[]) {
  const payments = rows.filter(({ status }) => status !== 'refund');
  const of = (is: (status: PaymentStatus) => boolean) => payments.filter(({ status }) => is(status as PaymentStatus));
  return {
    accepted: sumOf(payments),
    taken: sumOf(of(hasTakenMoney), ({ captured }) => captured),
    refused: sumOf(of((status) => status === 'failed')),
    unpaid: sumOf(of((status) => endedWithoutMoney(status) && status !== 'failed')),
    open: sumOf(of((status) => !hasTakenMoney(status) && !endedWithoutMoney(status))),
    refunded: sumOf(rows.filter(({ status }) => status === 'refund')),
    chargedBack: {
      count: payments.reduce((sum, row) => sum + row.charged_back_count, 0n),
      amountMinor: payments.reduce((sum, row) => sum + row.charged_back, 0n),
    },
  };
}
