import type { Knex } from 'knex';
import { type NotificationType, paymentNotification } from '../../domain/notification-type';
import { RESULT_DESCRIPTIONS, type ResultCode } from '../../domain/result-codes';
import type { PaymentStatus } from '../../domain/states/payment';
import type { Database } from '../../foundation/db/database';
import type { DisputeRow, DisputeStep } from '../disputes/dispute';
import { DISPUTE_EVENT_TYPES, presentDispute } from '../disputes/present';
import type { PaymentRow, RefundRow } from '../payments/payment';
import { presentPayment, presentRefund } from '../payments/present';
import { LIKE_OF_REFUNDS, refundIn } from '../payments/timeline-causes';
import type { PaymentScope } from '../payments/visible';

/** Something that happened to a payment, in the words of a notification. */
export interface FeedEvent {
  /** The same whenever it is read. */
  id: string;
  type: NotificationType;
  at: Date;
  data: Record<string, unknown>;
}

/** How far a reader has come in the two timelines that the feed is made of. */
export interface FeedPosition {
  payments: bigint;
  disputes: bigint;
}

/**
 * Timelines are numbered when written and seen when committed. What is younger than the oldest transaction under way may
 * still get a neighbour with a lower number: it is held back, so that a reader who goes on from a number misses nothing.
 * The horizon is taken once for both timelines: what one transaction wrote into both is seen in both.
 */
async function horizonOf(trx: Knex.Transaction): Promise<string> {
  const { rows } = await trx.raw('SELECT pg_snapshot_xmin(pg_current_snapshot())::xid::text AS horizon');
  return rows[0].horizon;
}

function isBefore(rows: Knex.QueryBuilder, horizon: string): Knex.QueryBuilder {
  return rows.whereRaw('age(e.xmin) > age(?::xid)', [horizon]);
}

/** Where a reader starts who wants only what happens from now on. */
export async function latestPosition(database: Database, tenantId: string): Promise<FeedPosition> {
  return database.tenant(tenantId, async (trx) => {
    const horizon = await horizonOf(trx);
    const last = async (table: string): Promise<bigint> => {
      const row = await isBefore(trx(`${table} as e`), horizon)
        .orderBy('id', 'desc')
        .first('id');
      return row?.id ?? 0n;
    };
    return { payments: await last('payment_events'), disputes: await last('dispute_events') };
  });
}

/** Up to `limit` events of an organization after a position, oldest first, and the position after them. */
export async function readFeed(
  database: Database,
  scope: PaymentScope,
  after: FeedPosition,
  limit: number,
): Promise<{ events: FeedEvent[]; position: FeedPosition }> {
  const [ofPayments, ofDisputes] = await database.tenant(scope.tenantId, async (trx) => {
    const reading = { trx, scope, horizon: await horizonOf(trx), limit };
    return [await paymentEvents(reading, after.payments), await disputeEvents(reading, after.disputes)];
  });
  const events: FeedEvent[] = [];
  const position = { ...after };
  while (events.length < limit) {
    const [payment, dispute] = [ofPayments![0], ofDisputes![0]];
    if (payment && (!dispute || payment.event.at <= dispute.event.at)) {
      position.payments = payment.id;
      events.push(ofPayments!.shift()!.event);
    } else if (dispute) {
      position.disputes = dispute.id;
      events.push(ofDisputes!.shift()!.event);
    } else break;
  }
  return { events, position };
}

interface Reading {
  trx: Knex.Transaction;
  scope: PaymentScope;
  /** The oldest transaction that was under way. */
  horizon: string;
  limit: number;
}

type Numbered = { id: bigint; event: FeedEvent };

interface PaymentEventRow {
  id: bigint;
  payment_id: string;
  from_status: PaymentStatus | null;
  to_status: PaymentStatus;
  result_code: ResultCode;
  cause: string;
  detail: string;
  at: Date;
}

/** Steps that change the status, and refunds, whose steps need not. */
async function paymentEvents(reading: Reading, after: bigint): Promise<Numbered[]> {
  const { trx, limit } = reading;
  const rows: PaymentEventRow[] = await ofScope(trx('payment_events as e'), reading)
    .where('e.id', '>', `${after}`)
    .where((where) =>
      where.whereRaw('e.from_status IS DISTINCT FROM e.to_status').orWhereLike('e.cause', LIKE_OF_REFUNDS),
    )
    .orderBy('e.id')
    .limit(limit)
    .select('e.*');
  const paymentIds = rows.map((row) => row.payment_id);
  const refundIds = rows.flatMap(({ cause }) => refundIn(cause)?.refundId ?? []);
  const payments = await byId<PaymentRow>(trx, 'payments', paymentIds);
  const refunds = await byId<RefundRow>(trx, 'refunds', refundIds);
  return rows.map((row): Numbered => {
    const caused = refundIn(row.cause);
    const refund = refunds.get(caused?.refundId ?? '');
    return {
      id: row.id,
      event: {
        id: `evt_p${row.id}`,
        // No step leads back to where every payment begins.
        type: caused?.isDeclined ? 'refund.declined' : paymentNotification(row.to_status)!,
        at: row.at,
        data: { ...recordAt(payments.get(row.payment_id)!, row), ...(refund && { refund: presentRefund(refund) }) },
      },
    };
  });
}

/** The record as it is now, with the status that this step gave it. */
function recordAt(payment: PaymentRow, row: PaymentEventRow): Record<string, unknown> {
  return {
    ...presentPayment(payment),
    timestamp: row.at,
    transactionStatus: row.to_status,
    result: { code: row.result_code, description: RESULT_DESCRIPTIONS[row.result_code] },
    status: { detail: row.detail },
    ...(row.to_status === 'requires_action' ? {} : { action: undefined }),
  };
}

interface DisputeEventRow {
  id: bigint;
  dispute_id: string;
  payment_id: string;
  step: DisputeStep;
  to_status: string;
  detail: string;
  at: Date;
}

const TOLD_STEPS = (Object.keys(DISPUTE_EVENT_TYPES) as DisputeStep[]).filter((step) => DISPUTE_EVENT_TYPES[step]);

async function disputeEvents(reading: Reading, after: bigint): Promise<Numbered[]> {
  const { trx, limit } = reading;
  const events = trx('dispute_events as e').join('disputes as d', 'd.id', 'e.dispute_id');
  const rows: DisputeEventRow[] = await ofScope(events, reading, 'd.payment_id')
    .where('e.id', '>', `${after}`)
    .whereIn('e.step', TOLD_STEPS)
    .orderBy('e.id')
    .limit(limit)
    .select('e.*', 'd.payment_id');
  const paymentIds = rows.map((row) => row.payment_id);
  const disputeIds = rows.map((row) => row.dispute_id);
  const payments = await byId<PaymentRow>(trx, 'payments', paymentIds);
  const disputes = await byId<DisputeRow>(trx, 'disputes', disputeIds);
  return rows.map(({ id, dispute_id, payment_id, step, to_status, detail, at }): Numbered => {
    const dispute = { ...presentDispute(disputes.get(dispute_id)!), status: to_status, detail, updatedAt: at };
    const data = { ...presentPayment(payments.get(payment_id)!), dispute };
    return { id, event: { id: `evt_d${id}`, type: DISPUTE_EVENT_TYPES[step]!, at, data } };
  });
}

function ofScope(
  events: Knex.QueryBuilder,
  { scope, horizon }: Reading,
  paymentId = 'e.payment_id',
): Knex.QueryBuilder {
  const rows = isBefore(events.join('payments as p', 'p.id', paymentId), horizon).where({
    'p.organization_id': scope.organizationId,
  });
  return scope.terminalId ? rows.where({ 'p.terminal_id': scope.terminalId }) : rows;
}

async function byId<Row extends { id: string }>(trx: Knex.Transaction, table: string, ids: string[]) {
  const rows: Row[] = ids.length === 0 ? [] : await trx(table).whereIn('id', [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, row]));
}
