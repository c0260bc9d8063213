import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import { eraseCards } from '../../foundation/vault/vault';
import { eraseSignIn } from '../../people/customer-access/erasure';
import type { CustomerRow } from '../../people/customers/customer';
import { eraseP2p, isAwaitingTransfer } from '../p2p/erasure';

/** A payment in one of these states still needs its card or its payer. */
const OPEN_PAYMENT = ['initiated', 'pending', 'requires_action'];

/**
 * Removes what is personal about a locked customer: profile and its key, identifiers, secrets, cards. The row stays,
 * because payments point to it. Payments keep what their records show, because the books need it, and lose contact data.
 * Throws `customer_in_use` while there is money or a payment under way.
 */
export async function eraseCustomer(trx: Knex.Transaction, customer: CustomerRow): Promise<Date> {
  await refuseInUse(trx, customer);
  await eraseCustomerCards(trx, customer.id);
  await trx.raw(
    "UPDATE payments SET request = (request - 'browser') #- '{customer,email}' #- '{customer,phone}' " +
      "#- '{customer,ipAddress}' WHERE customer_id = ?",
    [customer.id],
  );
  const attempts = trx('card_attempts').where({ per: 'customer', key: customer.id }).select('attempt_id');
  await trx('card_attempts').whereIn('attempt_id', attempts).where({ per: 'address' }).delete();
  // Nobody is left from whom the money could be collected.
  await trx('mandates').where({ customer_id: customer.id }).update({ state: 'cancelled' });
  await trx('customer_identifiers').where({ customer_id: customer.id }).delete();
  await trx('customer_secrets').where({ customer_id: customer.id }).delete();
  await eraseSignIn(trx, customer.id);
  await eraseP2p(trx, customer.id);
  await trx('beneficiaries').where({ customer_id: customer.id }).delete();
  const [{ deleted_at }] = await trx('customers')
    .where({ id: customer.id })
    .update({
      profile_sealed: null,
      profile_key: null,
      reference: null,
      version: customer.version + 1,
      updated_at: trx.fn.now(),
      deleted_at: trx.fn.now(),
    })
    .returning('deleted_at');
  return deleted_at;
}

async function refuseInUse(trx: Knex.Transaction, { id, tenant_id }: CustomerRow): Promise<void> {
  const money = await trx('ledger_accounts as a')
    .join('ledger_balances as b', 'b.account_id', 'a.id')
    .where({ 'a.tenant_id': tenant_id, 'a.owner': id })
    .whereIn('a.kind', ['customer_wallet', 'customer_incoming'])
    .where((some) => some.whereNot('b.posted_minor', 0).orWhereNot('b.held_minor', 0))
    .first('a.id');
  if (money) throw inUse('there is money in a wallet of this customer');
  const debt = await trx('ledger_accounts as a')
    .join('ledger_entries as e', 'e.account_id', 'a.id')
    .where({ 'a.tenant_id': tenant_id, 'a.kind': 'customer_receivable', 'a.owner': id })
    .groupBy('a.id')
    .havingRaw('sum(e.signed_minor) <> 0')
    .first('a.id');
  if (debt) throw inUse('this customer owes money');
  if (await isAwaitingTransfer(trx, id)) throw inUse('a transfer waits for this customer');
  const open = await trx('payments')
    .where((some) => some.whereIn('status', OPEN_PAYMENT).orWhere({ status: 'authorized', beneficiary: 'wallet' }))
    .where((some) => some.where({ customer_id: id }).orWhereIn('card_id', cardsOf(trx, id)))
    .first('id');
  if (open) throw inUse('a payment of this customer is under way');
}

function inUse(why: string): DomainError {
  return new DomainError('customer_in_use', `The customer cannot be deleted: ${why}`);
}

/** Cards of the customer, saved or paid with, unless somebody else has saved them too. */
async function eraseCustomerCards(trx: Knex.Transaction, customerId: string): Promise<void> {
  await trx('payment_methods')
    .where({ customer_id: customerId })
    .update({
      deleted_at: trx.raw('coalesce(deleted_at, now())'),
      fingerprint: Buffer.alloc(0),
      bin: '',
      last4: '',
      holder: '',
      expiry_month: '',
      expiry_year: '',
    });
  const cards = await trx('vault_cards as c')
    .whereIn('c.id', cardsOf(trx, customerId))
    .whereNotExists((others) =>
      others.from('payment_methods as m').whereRaw('m.card_id = c.id').whereNull('m.deleted_at'),
    )
    .pluck('c.id');
  await eraseCards(trx, cards);
  // One that is under way finds nothing more to do.
  await trx('card_verifications').where({ customer_id: customerId }).delete();
}

function cardsOf(trx: Knex.Transaction, customerId: string): Knex.QueryBuilder {
  const saved = trx('payment_methods').where({ customer_id: customerId }).select('card_id');
  const verified = trx('card_verifications').where({ customer_id: customerId }).select('card_id');
  return saved.union(
    verified,
    trx('payments').where({ customer_id: customerId }).whereNotNull('card_id').select('card_id'),
  );
}
