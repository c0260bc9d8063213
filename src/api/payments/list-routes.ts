import { formatAmount } from '../../domain/money';
import { RESULT_DESCRIPTIONS } from '../../domain/result-codes';
import type { Database } from '../../foundation/db/database';
import { listPayments, type PaymentFilter } from '../../money/payments/payment-list';
import { presentPayment } from '../../money/payments/present';
import { type CurrencyStatistics, paymentStatistics, type Sum, type Sums } from '../../money/payments/statistics';
import type { Catalogue } from '../../money/routing/catalogue';
import { paymentRecordSchema } from '../records/payment';
import { amountIn } from '../server/amount';
import { listOf, pageOf } from '../server/conventions';
import { type Route, route } from '../server/route';
import { type PaymentListQuery, paymentListQuery } from './list-schema';
import { READING, scopeOf } from './scope';
import { type StatisticsRequest, statisticsQuery, statisticsSchema } from './statistics-schema';

export interface PaymentListDependencies {
  database: Database;
  catalogue: Catalogue;
  /** How long a request may be repeated, in milliseconds: so much younger than its id may a row be. */
  idempotencyRetentionMs: number;
}

/** An organization's payments: one by one, and counted. */
export function paymentListRoutes({ database, catalogue, idempotencyRetentionMs }: PaymentListDependencies): Route[] {
  return [
    route<unknown, PaymentListQuery>({
      ...READING,
      path: '/ipg/1.0.0/payment/payments',
      summary: 'List payments, newest first',
      description: 'A payment is in the list if it fits all the filters that you give.',
      query: paymentListQuery,
      responses: { 200: { description: 'A page of payments', schema: listOf(paymentRecordSchema) } },
      handler: async (ctx) => {
        const { kind, methodId } = ctx.query;
        const ofKind = async () => (await catalogue.list(ctx.tenantId)).filter((method) => method.kind === kind);
        const kinds = kind && (await ofKind()).map(({ id }) => id);
        const methodIds = methodId === undefined ? kinds : (kinds ?? [methodId]).filter((id) => id === methodId);
        const rows =
          methodIds?.length === 0
            ? []
            : await listPayments(database, scopeOf(ctx), filterOf(ctx.query, methodIds), idempotencyRetentionMs);
        const page = pageOf(rows, ctx.query.limit, (row) => row.id);
        return { status: 200, body: { ...page, data: page.data.map(presentPayment) } };
      },
    }),
    route<unknown, StatisticsRequest>({
      ...READING,
      path: '/ipg/1.0.0/payment/statistics',
      summary: 'What was taken, refused and refunded in a part of time, by currency',
      description:
        'Payments count in the interval in which they were accepted, refunds in the one in which they were asked for. ' +
        'Ask twice to compare two parts of time.',
      query: statisticsQuery,
      responses: { 200: { description: 'The sums, by currency', schema: statisticsSchema } },
      handler: async (ctx) => {
        const { from, to, interval, timeZone } = ctx.query;
        const statistics = await paymentStatistics(database, scopeOf(ctx), ctx.query, idempotencyRetentionMs);
        const data = statistics.map(presentStatistics);
        return { status: 200, body: { from, to, interval, timeZone, data } };
      },
    }),
  ];
}

function filterOf(query: PaymentListQuery, methodIds: readonly number[] | undefined): PaymentFilter {
  const { status, currency, amount, minAmount, maxAmount } = query;
  const minor = (field: string, text: string | undefined) => text && amountIn(field, text, currency!);
  const least = minor('minAmount', minAmount) ?? minor('amount', amount);
  const most = minor('maxAmount', maxAmount) ?? minor('amount', amount);
  return {
    limit: query.limit,
    cursor: query.cursor,
    search: query.search,
    statuses: status,
    currency,
    amountMinor: { least: least || undefined, most: most || undefined },
    lastFour: query.lastFour,
    methodIds,
    from: query.from,
    to: query.to,
    customerId: query.customerId,
    linkId: query.linkId,
    orderId: query.orderId,
  };
}

function presentStatistics({ currency, feesMinor, refusals, kinds, intervals, ...sums }: CurrencyStatistics) {
  const amount = (minor: bigint) => formatAmount(minor, currency);
  const sumOf = ({ count, amountMinor }: Sum) => ({ count: Number(count), amount: amount(amountMinor) });
  const sumsOf = <Some extends Partial<Sums>>(some: Some) =>
    Object.fromEntries(Object.entries(some as Record<string, Sum>).map(([name, sum]) => [name, sumOf(sum)]));
  return {
    currency,
    ...sumsOf(sums),
    fees: amount(feesMinor),
    refusals: refusals.map(({ code, ...sum }) => ({
      result: { code, description: RESULT_DESCRIPTIONS[code] },
      ...sumOf(sum),
    })),
    kinds: kinds.map(({ kind, ...some }) => ({ kind, ...sumsOf(some) })),
    intervals: intervals.map(({ at, ...some }) => ({ at, ...sumsOf(some) })),
  };
}
