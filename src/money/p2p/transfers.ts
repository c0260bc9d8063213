import type { Knex } from 'knex';
import { DomainError, notFound } from '../../domain/errors';
import type { TransferStatus } from '../../domain/states/transfer';
import type { Database } from '../../foundation/db/database';
import type { Page } from '../../foundation/db/page';
import { wake } from '../../foundation/temporal/command';
import type { Engine } from '../../foundation/temporal/engine';
import { type Acting, noteActing } from './acting';
import { proceedWithTransfer } from './flow';
import { makeTransfer, type TransferDependencies, type TransferOrder } from './send';
import { acceptTransfer, advanceTransfer, releaseTransfer, reverseTransfer } from './steps';
import { findTransfer, lockTransfer, type TransferEventRow, type TransferRow } from './transfer';

/** Selects transfers of one customer or of a whole tenant. Among customers, only the parties of a transfer see it. */
export interface TransferFilter extends Page {
  customerId?: string;
  direction?: 'sent' | 'received';
  status?: TransferStatus;
  currency?: string;
  scheduleId?: string;
  /** By creation; `from` included, `to` not. */
  from?: Date;
  to?: Date;
}

/** Which transfer it is and who acts on it. `customerId`: the customer whose token it is; absent for staff. */
export interface TransferAct {
  tenantId: string;
  transferId: string;
  customerId?: string;
  acting: Acting;
  /** The same at every repeat of the request: what it did is done once, and answered again. */
  actId: string;
}

type Side = 'sender_id' | 'recipient_id';
type Step = (trx: Knex.Transaction, transfer: TransferRow, by: string) => Promise<TransferRow>;

const INLINE = 50;
const EXPORT_BATCH = 1_000;

/** Transfers between customers: each step moves the money in one transaction, and wakes the flow where there is one. */
export class Transfers {
  private readonly parts: TransferDependencies;

  constructor(
    private readonly deps: { database: Database; engine: Engine; p2p: TransferDependencies },
    private readonly disputeWindowMs: number,
  ) {
    this.parts = deps.p2p;
  }

  /** Throws as `makeTransfer` does. */
  async send(order: TransferOrder): Promise<TransferRow> {
    const transfer = await this.deps.database.tenant(order.tenantId, (trx) => makeTransfer(trx, this.parts, order));
    if (transfer.status === 'held') await this.wake(transfer);
    return transfer;
  }

  /** Takes what waits. Throws `not_found`, `forbidden` for the sender, `invalid_state`, `customer_blocked`. */
  accept(act: TransferAct): Promise<TransferRow> {
    return this.step(act, 'recipient_id', 'transfer_accepted', (trx, row, by) =>
      acceptTransfer(trx, this.parts, row, by),
    );
  }

  decline(act: TransferAct, reason?: string): Promise<TransferRow> {
    const detail = reason ? `Declined by the recipient: ${reason}` : 'Declined by the recipient.';
    return this.step(act, 'recipient_id', 'transfer_declined', (trx, row, by) =>
      releaseTransfer(trx, this.parts, row, 'declined', detail, by),
    );
  }

  cancel(act: TransferAct): Promise<TransferRow> {
    return this.step(act, 'sender_id', 'transfer_cancelled', (trx, row, by) =>
      releaseTransfer(trx, this.parts, row, 'cancelled', 'Cancelled by the sender.', by),
    );
  }

  /** Throws also `dispute_window_over` for a recipient who is late, `insufficient_funds` when the money has moved on. */
  reverse(act: TransferAct, reason?: string): Promise<TransferRow> {
    return this.step(act, 'recipient_id', 'transfer_reversed', (trx, row, by) => {
      const age = Date.now() - (row.settled_at?.getTime() ?? 0);
      if (row.status === 'settled' && act.customerId && age > this.disputeWindowMs)
        throw new DomainError('dispute_window_over', 'The time in which the recipient may reverse it is over');
      return reverseTransfer(trx, this.parts, row, reason, by);
    });
  }

  /** Throws `not_found`, also for a customer who is no party to it. */
  find(tenantId: string, transferId: string, customerId?: string): Promise<TransferRow> {
    return this.deps.database.tenant(tenantId, async (trx) =>
      requireParty(await findTransfer(trx, transferId), customerId),
    );
  }

  /** The timeline, oldest first. */
  async events(tenantId: string, transferId: string, customerId?: string): Promise<TransferEventRow[]> {
    return this.deps.database.tenant(tenantId, async (trx) => {
      const { id } = requireParty(await findTransfer(trx, transferId), customerId);
      return trx('p2p_transfer_events').where({ transfer_id: id }).orderBy('id');
    });
  }

  /** Up to `limit + 1` transfers, newest first. */
  list(tenantId: string, filter: TransferFilter): Promise<TransferRow[]> {
    return this.deps.database.tenant(tenantId, (trx) => page(trx, filter));
  }

  /** All that the filter lets through, newest first, a batch in memory at a time. */
  async *all(tenantId: string, filter: Omit<TransferFilter, 'limit' | 'cursor'>): AsyncGenerator<TransferRow> {
    let cursor: string | undefined;
    do {
      const rows = await this.list(tenantId, { ...filter, cursor, limit: EXPORT_BATCH - 1 });
      yield* rows;
      cursor = rows.length === EXPORT_BATCH ? rows.at(-1)!.id : undefined;
    } while (cursor);
  }

  /**
   * Pays out what waits for a customer who has just joined, got an alias or resumed: at once as far as a request may take,
   * by the flows of the transfers beyond that.
   */
  async welcome(tenantId: string, customerId: string): Promise<void> {
    const ids: string[] = await this.deps.database.tenant(tenantId, async (trx) => {
      const aliases = await trx('p2p_aliases').where({ customer_id: customerId });
      const claimed: string[] = [];
      for (const alias of aliases) claimed.push(...(await this.parts.keys.claim(trx, alias)));
      await trx('p2p_transfers')
        .whereIn('id', claimed)
        .update({ look_at: trx.raw('clock_timestamp()') });
      return claimed.sort();
    });
    for (const id of ids.slice(0, INLINE)) {
      const transfer = await this.deps.database.tenant(tenantId, async (trx) =>
        advanceTransfer(trx, this.parts, await lockTransfer(trx, id)),
      );
      await this.wake(transfer);
    }
  }

  private async step(
    { tenantId, transferId, customerId, acting, actId }: TransferAct,
    side: Side,
    action: string,
    step: Step,
  ): Promise<TransferRow> {
    const moved = await this.deps.database.tenant(tenantId, async (trx) => {
      const transfer = requireParty(await lockTransfer(trx, transferId), customerId);
      if (customerId && transfer[side] !== customerId)
        throw new DomainError('forbidden', `This is for the ${side === 'sender_id' ? 'sender' : 'recipient'} to do`);
      if (transfer.act_id === actId) return transfer;
      await trx('p2p_transfers').where({ id: transfer.id }).update({ act_id: actId });
      const after = await step(trx, transfer, acting.actor.id);
      const whose = transfer[side] ?? transfer.sender_id;
      await noteActing(trx, tenantId, acting, action, whose, { transferId });
      return after;
    });
    if (moved.look_at) await this.wake(moved);
    return moved;
  }

  private wake(transfer: TransferRow): Promise<boolean> {
    const { engine } = this.deps;
    return wake(engine, () => proceedWithTransfer(engine, transfer));
  }
}

function requireParty(transfer: TransferRow, customerId: string | undefined): TransferRow {
  if (customerId && transfer.sender_id !== customerId && transfer.recipient_id !== customerId)
    throw notFound('transfer');
  return transfer;
}

function page(trx: Knex.Transaction, filter: TransferFilter): Promise<TransferRow[]> {
  const { limit, cursor, customerId, direction, status, currency, scheduleId, from, to } = filter;
  const filtered = (side?: Side) => {
    const query = trx('p2p_transfers')
      .orderBy('id', 'desc')
      .limit(limit + 1);
    if (side) query.where(side, customerId!);
    if (cursor) query.where('id', '<', cursor);
    if (status) query.where({ status });
    if (currency) query.where({ currency });
    if (scheduleId) query.where({ schedule_id: scheduleId });
    if (from) query.where('created_at', '>=', from);
    if (to) query.where('created_at', '<', to);
    return query;
  };
  if (!customerId) return filtered();
  if (direction) return filtered(direction === 'sent' ? 'sender_id' : 'recipient_id');
  // Two queries, an index for each; nobody sends to oneself, so that no row comes twice.
  return trx
    .unionAll([filtered('sender_id'), filtered('recipient_id')], true)
    .orderBy('id', 'desc')
    .limit(limit + 1);
}
