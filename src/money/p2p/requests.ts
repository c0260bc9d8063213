import type { Knex } from 'knex';
import { hintOf } from '../../domain/alias';
import { DomainError, found, notFound, refuse } from '../../domain/errors';
import type { Money } from '../../domain/money';
import { canRequestBecome, type RequestStatus } from '../../domain/states/money-request';
import { type Acting, noteActing } from './acting';
import type { AliasKeys } from './alias-keys';
import { assertMayReceive, findParty, type Named, requireSender } from './recipient';
import { makeTransfer, type TransferDependencies } from './send';
import type { TransferRow } from './transfer';

/** One row of `p2p_requests`. */
export interface RequestRow {
  id: string;
  tenant_id: string;
  requester_id: string;
  payer_id: string;
  /** A hint of the alias that the requester named. */
  payer_hint: string | null;
  currency: string;
  amount_minor: bigint;
  note: string | null;
  status: RequestStatus;
  transfer_id: string | null;
  expires_at: Date;
  look_at: Date | null;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

export interface RequestOrder {
  requestId: string;
  tenantId: string;
  requesterId: string;
  payer: Named;
  money: Money;
  note?: string;
  expiresAt: Date;
  acting: Acting;
}

/**
 * Asks another customer for money. The same id again answers the row that is there. Throws `not_found` for a payer who
 * has not joined, else as a transfer by the requester does.
 */
export async function makeRequest(trx: Knex.Transaction, keys: AliasKeys, order: RequestOrder): Promise<RequestRow> {
  const { requestId, tenantId, requesterId, payer, money } = order;
  await requireSender(trx, requesterId);
  const party = await findParty(trx, keys, payer);
  if (!party) throw notFound('payer');
  if (party.customer_id === requesterId) refuse('payer', 'is the requester');
  assertMayReceive(party);
  const [row]: RequestRow[] = await trx('p2p_requests')
    .insert({
      id: requestId,
      tenant_id: tenantId,
      requester_id: requesterId,
      payer_id: party.customer_id,
      payer_hint: 'type' in payer ? hintOf(payer) : null,
      currency: money.currency,
      amount_minor: money.amountMinor,
      note: order.note ?? null,
      status: 'pending' satisfies RequestStatus,
      expires_at: order.expiresAt,
      look_at: trx.raw('clock_timestamp()'),
      created_by: order.acting.actor.id,
    })
    .onConflict('id')
    .ignore()
    .returning('*');
  if (!row) return findRequest(trx, requestId);
  await noteActing(trx, tenantId, order.acting, 'money_requested', requesterId, { requestId });
  return row;
}

export async function findRequest(trx: Knex.Transaction, requestId: string): Promise<RequestRow> {
  return found(await trx('p2p_requests').where({ id: requestId }).first(), 'request');
}

export function lockRequest(trx: Knex.Transaction, requestId: string): Promise<RequestRow> {
  return trx('p2p_requests').where({ id: requestId }).forUpdate().first();
}

/** Pays what was asked for: request and transfer in one transaction. Throws as `makeTransfer` does, and `invalid_state`. */
export async function payRequest(
  trx: Knex.Transaction,
  parts: TransferDependencies,
  { requestId, transferId, acting }: { requestId: string; transferId: string; acting: Acting },
): Promise<{ request: RequestRow; transfer: TransferRow }> {
  const { payer_id } = await findRequest(trx, requestId);
  // Customers are locked before what is theirs.
  await requireSender(trx, payer_id);
  const request = await lockRequest(trx, requestId);
  if (request.transfer_id === transferId)
    return { request, transfer: await trx('p2p_transfers').where({ id: transferId }).first() };
  requireMove(request, 'paid');
  const transfer = await makeTransfer(trx, parts, {
    transferId,
    tenantId: request.tenant_id,
    senderId: payer_id,
    recipient: { customerId: request.requester_id },
    money: { amountMinor: request.amount_minor, currency: request.currency },
    note: request.note ?? undefined,
    acting,
    requestId,
  });
  return { request: await moveRequest(trx, request, 'paid', { transfer_id: transfer.id }), transfer };
}

/** Ends a locked request without money. A repeat changes nothing. Throws `invalid_state` when it ended differently. */
export async function endRequest(
  trx: Knex.Transaction,
  request: RequestRow,
  to: 'declined' | 'cancelled' | 'expired',
): Promise<RequestRow> {
  if (request.status === to) return request;
  return moveRequest(trx, request, to, {});
}

/** Looks at a locked request and ends it when its time is up. */
export async function advanceRequest(
  trx: Knex.Transaction,
  request: RequestRow,
  now = new Date(),
): Promise<RequestRow> {
  const isDue = request.status === 'pending' && request.expires_at.getTime() <= now.getTime();
  return isDue ? endRequest(trx, request, 'expired') : request;
}

/** Moves a locked request. Throws `invalid_state` for a move that is not listed. */
async function moveRequest(
  trx: Knex.Transaction,
  request: RequestRow,
  status: RequestStatus,
  columns: Partial<RequestRow>,
): Promise<RequestRow> {
  requireMove(request, status);
  const now = trx.raw('clock_timestamp()');
  const [moved]: RequestRow[] = await trx('p2p_requests')
    .where({ id: request.id, status: request.status })
    .update({ ...columns, status, look_at: now, updated_at: now })
    .returning('*');
  return moved!;
}

function requireMove({ status }: RequestRow, to: RequestStatus): void {
  if (!canRequestBecome(status, to)) throw new DomainError('invalid_state', `The request is ${status} already`);
}
