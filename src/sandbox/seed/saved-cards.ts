import { newId } from '../../domain/ids';
import type { Database } from '../../foundation/db/database';
import type { Vault } from '../../foundation/vault/vault';
import { keepCard } from '../../money/payments/saved-card';
import { brandOf, shownCard } from '../../money/payments/shown-card';

/** A test card that every simulated processor takes. */
const NUMBER = '4111111111111111';

interface Seeded {
  tenantId: string;
  customer: { customerId: string };
}

/** Gives the sandbox customer of each tenant a saved card, unless it has, or had, one. */
export async function seedSavedCards(
  database: Database,
  vault: Vault,
  seeded: Seeded & { other: Seeded },
): Promise<void> {
  for (const { tenantId, customer } of [seeded, seeded.other])
    await database.tenant(tenantId, async (trx) => {
      const { customerId } = customer;
      // Locked, so that two starts on one database do not seed twice.
      await trx('customers').where({ id: customerId }).forUpdate().first('id');
      if (await trx('payment_methods').where({ customer_id: customerId }).first('id')) return;
      const cardId = newId('card');
      const card = { number: NUMBER, holder: 'Sandbox Customer', expiryMonth: '12', expiryYear: '2040' };
      const { cvv: _cvv, cvv_expires_at: _until, ...sealed } = vault.seal(cardId, card);
      await trx('vault_cards').insert({ id: cardId, tenant_id: tenantId, ...sealed });
      await keepCard(
        trx,
        { customer_id: customerId },
        {
          ...shownCard(card, brandOf(NUMBER)!),
          tenant_id: tenantId,
          card_id: cardId,
        },
      );
    });
}
