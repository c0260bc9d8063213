import type { Knex } from 'knex';
import { notFound } from '../../domain/errors';
import type { Actor } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import { noteCustomer } from '../../people/customers/audit-lines';
import { findCustomer, lockCustomer } from '../../people/customers/customer';
import type { SavedCardRow } from '../payments/saved-card';

/** The cards a customer has saved. A card is one object per customer; two customers with one card have two. */
export class PaymentMethods {
  constructor(private readonly database: Database) {}

  /** Newest first. Throws `not_found`. */
  async list(tenantId: string, customerId: string): Promise<SavedCardRow[]> {
    return this.database.tenant(tenantId, async (trx) => {
      await findCustomer(trx, customerId);
      return savedCards(trx, customerId);
    });
  }

  /** Makes a saved card the customer's default, in place of the one that was. Throws `not_found`. */
  async makeDefault(
    tenantId: string,
    customerId: string,
    paymentMethodId: string,
    actor: Actor,
  ): Promise<SavedCardRow> {
    return this.database.tenant(tenantId, async (trx) => {
      await lockCustomer(trx, customerId);
      const live = () => trx('payment_methods').where({ customer_id: customerId }).whereNull('deleted_at');
      const known: SavedCardRow | undefined = await live().where({ id: paymentMethodId }).first();
      if (!known) throw notFound('payment method');
      if (known.is_default) return known;
      await live().where({ is_default: true }).update({ is_default: false });
      const [chosen]: SavedCardRow[] = await live()
        .where({ id: paymentMethodId })
        .update({ is_default: true })
        .returning('*');
      await noteCustomer(trx, tenantId, actor, 'customer.card_default', customerId, { paymentMethodId });
      return chosen!;
    });
  }

  /** Its card leaves the vault with it (vault_let_card_go). Throws `not_found`, also for another customer's. */
  async remove(tenantId: string, customerId: string, paymentMethodId: string, actor: Actor): Promise<void> {
    await this.database.tenant(tenantId, async (trx) => {
      await lockCustomer(trx, customerId);
      const [removed]: SavedCardRow[] = await trx('payment_methods')
        .where({ id: paymentMethodId, customer_id: customerId })
        .whereNull('deleted_at')
        .update({ deleted_at: trx.fn.now(), is_default: false })
        .returning('*');
      if (!removed) throw notFound('payment method');
      await noteCustomer(trx, tenantId, actor, 'customer.card_removed', customerId, { paymentMethodId });
    });
  }
}

/** The live saved cards of a customer, newest first. */
export async function savedCards(trx: Knex.Transaction, customerId: string): Promise<SavedCardRow[]> {
  return trx('payment_methods').where({ customer_id: customerId }).whereNull('deleted_at').orderBy('id', 'desc');
}
