import type { Knex } from 'knex';
import { DomainError, notFound, refuse } from '../../domain/errors';
import type { Money } from '../../domain/money';
import { violates } from '../../foundation/db/database';
import { requireActiveTenant } from '../../people/identity/tenants';
import { applyFee } from '../fees/fees';
import type { Ledger } from '../ledger/ledger';
import { spendAllowance } from '../limits/allowance';
import { type Acting, noteActing } from './acting';
import type { AliasKeys } from './alias-keys';
import * as bookings from './bookings';
import type { Invitations } from './invitations';
import { assertMayReceive, findParty, hintOfNamed, type Named, type Party, requireSender } from './recipient';
import type { TransferRow } from './transfer';

/** What transfers work with. */
export interface TransferDependencies {
  ledger: Ledger;
  keys: AliasKeys;
  invitations: Invitations;
  transferTtlMs: number;
}

export interface TransferOrder {
  transferId: string;
  tenantId: string;
  senderId: string;
  recipient: Named;
  money: Money;
  note?: string;
  /** Until when it waits where it has to; no later than the setting allows. */
  expiresAt?: Date;
  acting: Acting;
  /** The request for money that is paid: who asks has accepted already. */
  requestId?: string;
  schedule?: { id: string; at: Date };
}

/**
 * Makes a transfer in the caller's transaction: settled at once, or held while somebody has to accept it or to join. The
 * same id again answers the row that is there. Throws `not_found` for an unknown sender, identifier or handle,
 * `customer_blocked`, `not_enrolled`, `p2p_suspended`, `recipient_unavailable`, `invalid_request` for a transfer to
 * oneself, `limit_exceeded`, `fee_exceeds_amount`, `insufficient_funds`, `tenant_suspended`.
 */
export async function makeTransfer(
  trx: Knex.Transaction,
  parts: TransferDependencies,
  order: TransferOrder,
): Promise<TransferRow> {
  const { tenantId, senderId, recipient, money, transferId } = order;
  await requireActiveTenant(trx, tenantId);
  await requireSender(trx, senderId, { mayBeOutside: 'iban' in recipient });
  const party = await findParty(trx, parts.keys, recipient);
  refuseUnfit(order, party);
  const { currency, amountMinor } = money;
  const fee = await applyFee(trx, { tenantId, operation: 'p2p', currency, amountMinor });
  const [row]: TransferRow[] = await trx('p2p_transfers')
    .insert({
      id: transferId,
      tenant_id: tenantId,
      sender_id: senderId,
      ...named(parts.keys, recipient),
      currency,
      amount_minor: amountMinor,
      fee_minor: fee.feeMinor,
      fee_payer: fee.payer,
      note: order.note ?? null,
      moved_by: order.acting.actor.id,
      request_id: order.requestId ?? null,
      schedule_id: order.schedule?.id ?? null,
      scheduled_for: order.schedule?.at ?? null,
      ...beginning(order, party, parts.transferTtlMs),
    })
    .onConflict('id')
    .ignore()
    .returning('*');
  if (!row) return trx('p2p_transfers').where({ id: transferId }).first();
  await spendAllowance(trx, { tenantId, customerId: senderId, operation: 'p2p', currency, amountMinor, cause: row.id });
  await book(trx, parts.ledger, row, row.status === 'settled' ? bookings.settle(row) : bookings.hold(row));
  if (!party && 'type' in recipient) await parts.invitations.send(trx, row, recipient);
  await noteActing(trx, tenantId, order.acting, 'transfer_sent', senderId, { transferId });
  return row;
}

/** Books for a transfer. Throws `insufficient_funds` when a wallet does not cover it. */
export async function book(
  trx: Knex.Transaction,
  ledger: Ledger,
  { tenant_id, currency }: Pick<TransferRow, 'tenant_id' | 'currency'>,
  transfers: Parameters<Ledger['book']>[3],
): Promise<void> {
  try {
    await ledger.book(trx, tenant_id, currency, transfers);
  } catch (error) {
    if (!violates(error, 'ledger_balances_covered')) throw error;
    throw new DomainError('insufficient_funds', 'There is not enough available in the wallet');
  }
}

function refuseUnfit({ senderId, recipient }: TransferOrder, party: Party | undefined): void {
  const isInvitable = 'type' in recipient && recipient.type !== 'handle';
  if (!party && !isInvitable) throw notFound('recipient');
  if (party?.customer_id === senderId) refuse('recipient', 'is the sender');
  if (party) assertMayReceive(party);
}

function named(keys: AliasKeys, recipient: Named) {
  const alias = 'type' in recipient ? recipient : undefined;
  return {
    alias_type: alias?.type ?? null,
    alias_mac: alias ? keys.macOf(alias) : null,
    recipient_hint: hintOfNamed(recipient),
  };
}

/** How a transfer begins. */
function beginning(
  { requestId, expiresAt }: TransferOrder,
  party: Party | undefined,
  ttlMs: number,
): Partial<TransferRow> {
  const recipient_id = party?.customer_id ?? null;
  if (party && (requestId || !party.accepts_each))
    return { recipient_id, status: 'settled', status_detail: 'Settled at once.', settled_at: new Date() };
  const now = Date.now();
  const latest = now + ttlMs;
  return {
    recipient_id,
    status: 'held',
    status_detail: party ? 'Waits for the recipient to accept it.' : 'Waits for the invited person to join.',
    held_for: party ? 'recipient' : 'invitation',
    expires_at: new Date(expiresAt ? Math.min(expiresAt.getTime(), latest) : latest),
    look_at: new Date(now),
  };
}
