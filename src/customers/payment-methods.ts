import type { Knex } from 'knex';
import type { Database } from '../db/database';
import { notFound } from '../domain/errors';
import { newId } from '../domain/ids';
import { keepCard, type SavedCardRow } from '../payments/saved-card';
import { brandOf, shownCard } from '../payments/shown-card';
import type { CardData } from '../providers/connector';
import { eraseCards, type Vault } from '../vault/vault';
import { findCustomer, lockCustomer } from './customer';

/** The cards a customer has saved. A card is one object per customer; two customers with one card have two. */
export class PaymentMethods {
  constructor(
    private readonly database: Database,
    private readonly vault: Vault,
  ) {}

  /** Newest first. Throws `not_found`. */
  async list(tenantId: string, customerId: string): Promise<SavedCardRow[]> {
    return this.database.tenant(tenantId, async (trx) => {
      await findCustomer(trx, customerId);
      return savedCards(trx, customerId);
    });
  }

  /**
   * Saves a card; the CVV is not kept. The card that is there already is answered as it is, with what has been renewed
   * since (holder, expiry). Throws `not_found`.
   */
  async add(tenantId: string, customerId: string, card: CardData): Promise<{ saved: SavedCardRow; fresh: boolean }> {
    const { cvv: _cvv, ...lasting } = card;
    const shown = shownCard(lasting, brandOf(card.number) ?? 'CARD');
    const cardId = newId('card');
    const { fingerprint, key_id, wrapped_key, sealed } = this.vault.seal(cardId, lasting);
    return this.database.tenant(tenantId, async (trx) => {
      // One after the other, so that the same card added twice at once is one object.
      await lockCustomer(trx, customerId);
      const known: SavedCardRow | undefined = await trx('payment_methods')
        .where({ customer_id: customerId, fingerprint })
        .whereNull('deleted_at')
        .first();
      const { holder, expiry_month, expiry_year } = shown;
      const isSame =
        known?.holder === holder && known.expiry_month === expiry_month && known.expiry_year === expiry_year;
      if (known && isSame) return { saved: known, fresh: false };
      await trx('vault_cards').insert({ id: cardId, tenant_id: tenantId, fingerprint, key_id, wrapped_key, sealed });
      const card = { ...shown, tenant_id: tenantId, card_id: cardId, fingerprint };
      const saved = await keepCard(trx, { customer_id: customerId }, card);
      if (known) await eraseUnused(trx, customerId, known.card_id);
      return { saved, fresh: !known };
    });
  }

  /** Throws `not_found`, also for another customer's. */
  async remove(tenantId: string, customerId: string, paymentMethodId: string): Promise<void> {
    await this.database.tenant(tenantId, async (trx) => {
      await lockCustomer(trx, customerId);
      const [removed] = await trx('payment_methods')
        .where({ id: paymentMethodId, customer_id: customerId })
        .whereNull('deleted_at')
        .update({ deleted_at: trx.fn.now() })
        .returning('card_id');
      if (!removed) throw notFound('payment method');
      await eraseUnused(trx, customerId, removed.card_id);
    });
  }
}

/** The live saved cards of a customer, newest first. */
export async function savedCards(trx: Knex.Transaction, customerId: string): Promise<SavedCardRow[]> {
  return trx('payment_methods').where({ customer_id: customerId }).whereNull('deleted_at').orderBy('id', 'desc');
}

/** Erases a saved card from the vault when its customer did not pay with it and nobody else has saved it. */
async function eraseUnused(trx: Knex.Transaction, customerId: string, cardId: string): Promise<void> {
  const paid = await trx('payments').where({ customer_id: customerId, card_id: cardId }).first('id');
  const saved = await trx('payment_methods').where({ card_id: cardId }).whereNull('deleted_at').first('id');
  if (!paid && !saved) await eraseCards(trx, [cardId]);
}
