import type { ItemRow } from '../../commerce/inventory/item';
import { Inventory } from '../../commerce/inventory/service';
import { newId } from '../../domain/ids';
import type { Database } from '../../foundation/db/database';
import type { SeededTenant } from './tenants';

const ACTOR = { id: 'seed of the sandbox', source: '', requestId: '' };

/** What the sandbox's merchants sell from the first start on. Prices are minor units of EUR. */
const GOODS = [
  { sku: 'MUG-BLUE', name: 'Blue mug', description: 'Holds 300 ml.', priceMinor: 1_250n, quantity: 100 },
  { sku: 'POSTER-A2', name: 'Poster, A2', description: 'Printed on thick paper.', priceMinor: 2_400n, quantity: 25 },
];

/** Held while seeding, so that two starts on one database do not seed twice. */
const SEED_LOCK = 7_301_145_226;

/** Gives the merchant of each sandbox tenant approved items with stock. What is there, by its sku, stays as it is. */
export async function seedGoods(
  database: Database,
  seeded: Pick<SeededTenant, 'tenantId' | 'organizationId'> & {
    other: Pick<SeededTenant, 'tenantId' | 'organizationId'>;
  },
): Promise<void> {
  const inventory = new Inventory(database);
  await database.system.transaction(async (trx) => {
    await trx.raw('SELECT pg_advisory_xact_lock(?)', [SEED_LOCK]);
    for (const { tenantId, organizationId } of [seeded, seeded.other])
      for (const { priceMinor, ...goods } of GOODS) {
        const place = { organization_id: organizationId, sku: goods.sku };
        const known: ItemRow | undefined = await trx('items').where(place).first();
        const price = { amountMinor: priceMinor, currency: 'EUR' };
        const item = { ...goods, id: newId('item'), price, images: [] };
        const row = known ?? (await inventory.add({ tenantId, organizationId }, item, ACTOR)).row;
        // Also where an earlier start ended in between.
        if (row.created_by === ACTOR.id && row.version === 1 && row.status === 'pending_approval')
          await inventory.decide({ tenantId }, row.id, { decision: 'approved', version: 1 }, ACTOR);
      }
  });
}
