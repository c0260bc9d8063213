import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import { type CustomerStatus, isBlocked } from '../../domain/states/customer';
import { assertMayTransact } from '../../people/customers/customer';
import { giveBackAllowance } from '../limits/allowance';
import { FLOW_ACTOR } from './acting';
import * as bookings from './bookings';
import { assertNotSuspended, mayReceive, type Party, partyByMacs } from './recipient';
import { book, type TransferDependencies } from './send';
import { moveTransfer, type TransferRow } from './transfer';

/**
 * What happens to a transfer that was made; each step in the caller's transaction, on a row that `lockTransfer` has
 * locked.
 */

/** Pays out what was held. Throws `customer_blocked`, `p2p_suspended`, `recipient_unavailable`, `invalid_state`. */
export async function acceptTransfer(
  trx: Knex.Transaction,
  { ledger }: TransferDependencies,
  transfer: TransferRow,
  by: string,
): Promise<TransferRow> {
  requireHeld(transfer);
  if (!transfer.recipient_id) throw new DomainError('invalid_state', 'Nobody has joined yet who could accept it');
  const recipient: Party = await trx('customers as c')
    .join('p2p_members as m', 'm.customer_id', 'c.id')
    .where({ 'c.id': transfer.recipient_id })
    .first('m.customer_id', 'm.accepts_each', 'm.suspended_at', 'c.status');
  assertMayTransact(recipient);
  assertNotSuspended(recipient);
  if (isBlocked(await statusOf(trx, transfer.sender_id)))
    throw new DomainError('customer_blocked', 'The sender’s status does not allow moving money');
  return settleHeld(trx, ledger, transfer, 'Accepted by the recipient.', by);
}

/** Gives what was held back to the sender, and what it counted against the sender's limits. */
export async function releaseTransfer(
  trx: Knex.Transaction,
  { ledger }: TransferDependencies,
  transfer: TransferRow,
  to: 'declined' | 'cancelled' | 'expired',
  detail: string,
  by: string,
): Promise<TransferRow> {
  requireHeld(transfer);
  const moved = await moveTransfer(trx, transfer, to, { status_detail: detail, moved_by: by });
  await giveBackAllowance(trx, { tenantId: transfer.tenant_id, cause: transfer.id });
  await book(trx, ledger, transfer, bookings.release(transfer));
  return moved;
}

/** Takes a settled transfer back. Throws `invalid_state`, and `insufficient_funds` when the money has moved on. */
export async function reverseTransfer(
  trx: Knex.Transaction,
  { ledger }: TransferDependencies,
  transfer: TransferRow,
  reason: string | undefined,
  by: string,
): Promise<TransferRow> {
  const detail = reason ? `Reversed: ${reason}` : 'Reversed.';
  const moved = await moveTransfer(trx, transfer, 'reversed', { status_detail: detail, moved_by: by });
  await book(trx, ledger, transfer, bookings.reverse(transfer));
  return moved;
}

/** Looks at a held transfer and does what is due: pays out an invitation once somebody has joined, ends what has expired. */
export async function advanceTransfer(
  trx: Knex.Transaction,
  parts: TransferDependencies,
  transfer: TransferRow,
  now = new Date(),
): Promise<TransferRow> {
  if (transfer.status !== 'held') return transfer;
  const joined = transfer.recipient_id
    ? undefined
    : await partyByMacs(trx, transfer.alias_type!, [transfer.alias_mac!]);
  const current = joined ? await join(trx, parts, transfer, joined) : transfer;
  if (current.status !== 'held' || current.expires_at!.getTime() > now.getTime()) return current;
  return releaseTransfer(trx, parts, current, 'expired', 'Nobody took it in time; the money went back.', FLOW_ACTOR);
}

/** Somebody has joined by the alias. Stays held while that person or the sender may not move money. */
async function join(
  trx: Knex.Transaction,
  parts: TransferDependencies,
  transfer: TransferRow,
  party: Party,
): Promise<TransferRow> {
  if (party.customer_id === transfer.sender_id)
    return releaseTransfer(trx, parts, transfer, 'cancelled', 'The alias is the sender’s own.', FLOW_ACTOR);
  if (!mayReceive(party) || isBlocked(await statusOf(trx, transfer.sender_id))) return transfer;
  const recipient_id = party.customer_id;
  if (!party.accepts_each)
    return settleHeld(trx, parts.ledger, { ...transfer, recipient_id }, 'The invited person joined.', FLOW_ACTOR);
  return moveTransfer(trx, transfer, 'held', {
    recipient_id,
    status_detail: 'The invited person joined; waits for the recipient to accept it.',
    moved_by: FLOW_ACTOR,
  });
}

async function settleHeld(
  trx: Knex.Transaction,
  ledger: TransferDependencies['ledger'],
  transfer: TransferRow,
  detail: string,
  by: string,
): Promise<TransferRow> {
  const moved = await moveTransfer(trx, transfer, 'settled', {
    recipient_id: transfer.recipient_id,
    settled_at: new Date(),
    status_detail: detail,
    moved_by: by,
  });
  await book(trx, ledger, transfer, bookings.settleHeld(transfer));
  return moved;
}

function requireHeld({ status }: TransferRow): void {
  if (status !== 'held') throw new DomainError('invalid_state', `The transfer is ${status} already`);
}

async function statusOf(trx: Knex.Transaction, customerId: string): Promise<CustomerStatus> {
  return (await trx('customers').where({ id: customerId }).first('status')).status;
}
