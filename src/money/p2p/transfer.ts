import type { Knex } from 'knex';
import type { AliasType } from '../../domain/alias';
import { DomainError, found } from '../../domain/errors';
import { canTransferBecome, type TransferStatus } from '../../domain/states/transfer';
import type { Payer } from '../fees/fee';

/** One row of `p2p_transfers`. */
export interface TransferRow {
  id: string;
  tenant_id: string;
  sender_id: string;
  /** Null while an invitation waits for somebody to join. */
  recipient_id: string | null;
  alias_type: AliasType | null;
  alias_mac: Buffer | null;
  /** A hint of the alias that the sender named. */
  recipient_hint: string | null;
  currency: string;
  amount_minor: bigint;
  fee_minor: bigint;
  fee_payer: Payer;
  note: string | null;
  status: TransferStatus;
  status_detail: string;
  moved_by: string;
  held_for: 'recipient' | 'invitation' | null;
  expires_at: Date | null;
  settled_at: Date | null;
  look_at: Date | null;
  request_id: string | null;
  schedule_id: string | null;
  scheduled_for: Date | null;
  /** The request that moved it last. */
  act_id: string | null;
  created_at: Date;
  updated_at: Date;
}

/** A line of a transfer's timeline. `from_status` is null on the first. */
export interface TransferEventRow {
  id: bigint;
  from_status: TransferStatus | null;
  to_status: TransferStatus;
  detail: string;
  actor: string;
  at: Date;
}

export async function findTransfer(trx: Knex.Transaction, transferId: string): Promise<TransferRow> {
  return found(await trx('p2p_transfers').where({ id: transferId }).first(), 'transfer');
}

/**
 * A transfer, locked until the transaction ends, and before it its customers against a change of status: in this order
 * everywhere, so that no two wait for each other.
 */
export async function lockTransfer(trx: Knex.Transaction, transferId: string): Promise<TransferRow> {
  const { sender_id, recipient_id } = await findTransfer(trx, transferId);
  await trx('customers')
    .whereIn('id', recipient_id ? [sender_id, recipient_id] : [sender_id])
    .orderBy('id')
    .forShare()
    .select('id');
  return trx('p2p_transfers').where({ id: transferId }).forUpdate().first();
}

/** Moves a locked transfer; its timeline follows by itself. Throws `invalid_state` for a move that is not listed. */
export async function moveTransfer(
  trx: Knex.Transaction,
  transfer: TransferRow,
  to: TransferStatus,
  change: Pick<TransferRow, 'status_detail' | 'moved_by'> & Partial<TransferRow>,
): Promise<TransferRow> {
  if (!canTransferBecome(transfer.status, to))
    throw new DomainError('invalid_state', `a transfer that is ${transfer.status} cannot become ${to}`);
  const now = trx.raw('clock_timestamp()');
  const [moved]: TransferRow[] = await trx('p2p_transfers')
    .where({ id: transfer.id })
    // Only what was held has a flow that waits.
    .update({ ...change, status: to, look_at: transfer.status === 'held' ? now : null, updated_at: now })
    .returning('*');
  return moved!;
}
