import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/**
 * Payments are found by what their processor calls them, for callbacks that say no other name. A claim notes when the
 * payment is sent, not when it was sent first: "not found" counts from the last send.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX payments_provider_reference ON payments (processor, provider_reference)
      WHERE provider_reference IS NOT NULL;
  `);
  await installFunctions(knex, { payment_claim: 2 });
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX payments_provider_reference');
  await installFunctions(knex, { payment_claim: 1 });
}
