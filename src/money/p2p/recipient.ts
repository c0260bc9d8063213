import type { Knex } from 'knex';
import { type AliasName, type AliasType, hintOf } from '../../domain/alias';
import { DomainError, notFound } from '../../domain/errors';
import { type CustomerStatus, isBlocked } from '../../domain/states/customer';
import { assertMayTransact } from '../../people/customers/customer';
import type { AliasKeys } from './alias-keys';

/** A person named by customer id, by alias, or by the IBAN of a wallet, which takes no membership. */
export type Named = { customerId: string } | { iban: string } | AliasName;

/** Enough of a name to recognize it, for those who see the transfer; null of an identifier, which says nothing. */
export function hintOfNamed(named: Named): string | null {
  if ('iban' in named) return `${named.iban.slice(0, 2)}…${named.iban.slice(-4)}`;
  return 'type' in named ? hintOf(named) : null;
}

/** A member as far as a transfer goes, or the owner of the account that was named. */
export interface Party {
  customer_id: string;
  accepts_each: boolean;
  suspended_at: Date | null;
  status: CustomerStatus;
}

/**
 * The member of the transaction's tenant who is named; undefined for one who has not joined. Who is named by an account
 * need not have joined: it is an account at a bank.
 */
export async function findParty(trx: Knex.Transaction, keys: AliasKeys, named: Named): Promise<Party | undefined> {
  if ('iban' in named) return ownerOf(trx, named.iban);
  if ('customerId' in named) return partyBy(trx, { 'm.customer_id': named.customerId });
  return partyByMacs(trx, named.type, keys.macsOf(named));
}

/** The member with the alias of one of these hashes. */
export function partyByMacs(
  trx: Knex.Transaction,
  type: AliasType,
  macs: readonly Buffer[],
): Promise<Party | undefined> {
  return partyBy(trx, { 'a.type': type }, macs);
}

async function partyBy(
  trx: Knex.Transaction,
  where: Record<string, unknown>,
  macs?: readonly Buffer[],
): Promise<Party | undefined> {
  const query = trx('p2p_members as m').join('customers as c', 'c.id', 'm.customer_id');
  if (macs) query.join('p2p_aliases as a', 'a.customer_id', 'm.customer_id').whereIn('a.mac', macs);
  return query
    .where(where)
    .whereNull('c.deleted_at')
    .first('m.customer_id', 'm.accepts_each', 'm.suspended_at', 'c.status');
}

/** Whoever has joined and asked to accept each transfer is asked here too. */
async function ownerOf(trx: Knex.Transaction, iban: string): Promise<Party | undefined> {
  return trx('ledger_accounts as a')
    .join('customers as c', 'c.id', 'a.owner')
    .leftJoin('p2p_members as m', 'm.customer_id', 'c.id')
    .where({ 'a.kind': 'customer_wallet', 'a.iban': iban })
    .whereNull('c.deleted_at')
    .first(
      'c.id as customer_id',
      'c.status',
      'm.suspended_at',
      trx.raw('coalesce(m.accepts_each, false) AS accepts_each'),
    );
}

/** Throws `recipient_unavailable`. The sender is not told why. */
export function assertMayReceive(party: Party): void {
  if (!mayReceive(party))
    throw new DomainError('recipient_unavailable', 'The recipient cannot be sent money at present');
}

export function mayReceive({ status, suspended_at }: Party): boolean {
  return !suspended_at && !isBlocked(status);
}

/**
 * The customer who is to send, locked against a change of status until the transaction ends. Throws `not_found`,
 * `customer_blocked`, `not_enrolled` unless `mayBeOutside`, `p2p_suspended`.
 */
export async function requireSender(
  trx: Knex.Transaction,
  customerId: string,
  { mayBeOutside = false }: { mayBeOutside?: boolean } = {},
): Promise<void> {
  const sender = await trx('customers as c')
    .leftJoin('p2p_members as m', 'm.customer_id', 'c.id')
    .where({ 'c.id': customerId })
    .whereNull('c.deleted_at')
    .forShare('c')
    .first('c.status', 'm.customer_id', 'm.suspended_at');
  if (!sender) throw notFound('customer');
  assertMayTransact(sender);
  if (!sender.customer_id && !mayBeOutside)
    throw new DomainError('not_enrolled', 'This customer has not joined transfers yet');
  assertNotSuspended(sender);
}

export function assertNotSuspended({ suspended_at }: { suspended_at: Date | null }): void {
  if (suspended_at) throw new DomainError('p2p_suspended', 'Transfers of this customer are suspended');
}
