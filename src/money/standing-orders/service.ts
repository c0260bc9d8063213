import type { Knex } from 'knex';
import { DomainError, refuse } from '../../domain/errors';
import type { Money } from '../../domain/money';
import type { Database } from '../../foundation/db/database';
import { paged } from '../../foundation/db/page';
import { wake } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import { findCustomer } from '../../people/customers/customer';
import { findBeneficiary } from '../beneficiaries/beneficiaries';
import { type BeneficiaryKeys, recipientOf } from '../beneficiaries/beneficiary';
import { type Acting, noteActing } from '../p2p/acting';
import { tellEngine } from '../p2p/flow';
import type { Frequency } from '../p2p/occurrences';
import type { Named } from '../p2p/recipient';
import { endSchedule, makeSchedule } from '../p2p/schedules';
import type { TransferDependencies } from '../p2p/send';
import { findStandingOrder, type StandingOrderRow, type StandingOrderRunRow, type StandingOrderStatus } from './order';

export interface StandingOrderRequest {
  orderId: string;
  tenantId: string;
  customerId: string;
  /** A saved recipient, or somebody named as in a transfer. */
  to: { beneficiaryId: string } | { recipient: Named };
  money: Money;
  note?: string;
  frequency: Frequency;
  /** The first and the last day (YYYY-MM-DD, UTC). */
  firstDate: string;
  lastDate?: string;
  acting: Acting;
}

/** The hour of the day, UTC, at which orders that begin on a later day are due. */
const DUE_HOUR = 'T06:00:00Z';
/** An order that begins today is due as soon as the engine knows of it. */
const AT_ONCE_MS = 2_000;

/** Standing orders of customers: each has a schedule of the engine, which makes its transfers. */
export class StandingOrders {
  constructor(
    private readonly deps: { database: Database; engine: Engine; p2p: Pick<TransferDependencies, 'keys'> },
    private readonly keys: BeneficiaryKeys,
  ) {}

  /**
   * Throws `not_found` for a recipient who has not joined transfers, `invalid_request` for days that are not in order, and
   * as a transfer does. The same id again answers the order that is there.
   */
  async create(request: StandingOrderRequest): Promise<StandingOrderRow> {
    const { orderId, tenantId, customerId, to, acting } = request;
    const recurrence = recurrenceFor(request);
    return this.change(tenantId, async (trx) => {
      const known: StandingOrderRow | undefined = await trx('p2p_schedules').where({ id: orderId }).first();
      if (known) return known;
      const beneficiary = 'beneficiaryId' in to ? await findBeneficiary(trx, customerId, to.beneficiaryId) : undefined;
      const recipient = 'recipient' in to ? to.recipient : await recipientOf(trx, this.keys.open(beneficiary!));
      await makeSchedule(trx, this.deps.p2p.keys, {
        scheduleId: orderId,
        tenantId,
        senderId: customerId,
        recipient,
        money: request.money,
        note: request.note,
        kind: 'standing_order',
        recurrence,
        acting,
      });
      const beneficiary_id = beneficiary?.id ?? null;
      const [order] = await trx('p2p_schedules').where({ id: orderId }).update({ beneficiary_id }).returning('*');
      return order;
    });
  }

  /** Skips what is due from now on. A repeat changes nothing. Throws `not_found`, and `invalid_state` once it is over. */
  pause(tenantId: string, customerId: string, orderId: string, acting: Acting): Promise<StandingOrderRow> {
    return this.change(tenantId, async (trx) => {
      const order = await this.openOrder(trx, customerId, orderId);
      if (order.paused_at) return order;
      await noteActing(trx, tenantId, acting, 'standing_order_paused', customerId, { orderId });
      return update(trx, orderId, { paused_at: trx.raw('clock_timestamp()') });
    });
  }

  /** Starts the order again. What was skipped is not paid later. Throws as `pause` does. */
  resume(tenantId: string, customerId: string, orderId: string, acting: Acting): Promise<StandingOrderRow> {
    return this.change(tenantId, async (trx) => {
      const order = await this.openOrder(trx, customerId, orderId);
      if (!order.paused_at) return order;
      await noteActing(trx, tenantId, acting, 'standing_order_resumed', customerId, { orderId });
      return update(trx, orderId, { paused_at: null });
    });
  }

  /** Ends it for good. One that is over stays as it is. Throws `not_found`. */
  cancel(tenantId: string, customerId: string, orderId: string, acting: Acting): Promise<StandingOrderRow> {
    return this.change(tenantId, async (trx) => {
      const order = await findStandingOrder(trx, customerId, orderId, { lock: true });
      if (order.status !== 'active') return order;
      await noteActing(trx, tenantId, acting, 'standing_order_cancelled', customerId, { orderId });
      return { ...order, ...(await endSchedule(trx, order, 'cancelled')), kind: 'standing_order' };
    });
  }

  find(tenantId: string, customerId: string, orderId: string): Promise<StandingOrderRow> {
    return this.deps.database.tenant(tenantId, (trx) => findStandingOrder(trx, customerId, orderId));
  }

  /** Up to `limit + 1`, newest first. Throws `not_found`. */
  list(
    tenantId: string,
    customerId: string,
    { limit, cursor, status }: { limit: number; cursor?: string; status?: StandingOrderStatus },
  ): Promise<StandingOrderRow[]> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      await findCustomer(trx, customerId);
      const query = paged(trx('p2p_schedules').where({ sender_id: customerId, kind: 'standing_order' }), {
        limit,
        cursor,
      });
      if (status === 'paused') query.where({ status: 'active' }).whereNotNull('paused_at');
      else if (status === 'active') query.where({ status, paused_at: null });
      else if (status) query.where({ status });
      return query;
    });
  }

  /** What was due so far, newest first, up to `limit + 1`. `cursor`: when the last of the page before was due, RFC 3339. */
  runs(
    tenantId: string,
    customerId: string,
    orderId: string,
    { limit, cursor }: { limit: number; cursor?: string },
  ): Promise<StandingOrderRunRow[]> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      await findStandingOrder(trx, customerId, orderId);
      const query = trx('standing_order_runs')
        .where({ order_id: orderId })
        .orderBy('due_at', 'desc')
        .limit(limit + 1);
      const before = new Date(cursor ?? '');
      if (cursor) query.where('due_at', '<', Number.isNaN(before.getTime()) ? new Date(0) : before);
      return query;
    });
  }

  private async openOrder(trx: Knex.Transaction, customerId: string, orderId: string): Promise<StandingOrderRow> {
    const order = await findStandingOrder(trx, customerId, orderId, { lock: true });
    if (order.status !== 'active')
      throw new DomainError('invalid_state', `a standing order that is ${order.status} is over`);
    return order;
  }

  private async change(
    tenantId: string,
    work: (trx: Knex.Transaction) => Promise<StandingOrderRow>,
  ): Promise<StandingOrderRow> {
    const { database, engine } = this.deps;
    const order = await database.tenant(tenantId, work);
    if (order.untold_since) await wake(engine, () => tellEngine(engine, database.system, order));
    return order;
  }
}

async function update(trx: Knex.Transaction, id: string, columns: object): Promise<StandingOrderRow> {
  const [order] = await trx('p2p_schedules')
    .where({ id })
    .update({ ...columns, updated_at: trx.raw('clock_timestamp()') })
    .returning('*');
  return order;
}

function recurrenceFor({ frequency, firstDate, lastDate }: StandingOrderRequest, now = new Date()) {
  const today = now.toISOString().slice(0, 10);
  if (firstDate < today) refuse('firstDate', 'has passed');
  if (lastDate !== undefined && lastDate < firstDate) refuse('lastDate', 'must not be before firstDate');
  const startsAt =
    firstDate === today
      ? new Date(Math.ceil((now.getTime() + AT_ONCE_MS) / 1_000) * 1_000)
      : new Date(firstDate + DUE_HOUR);
  return { frequency, startsAt, ...(lastDate !== undefined && { endsAt: new Date(`${lastDate}T23:59:59Z`) }) };
}
