import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/**
 * Status reads in one round trip: each function sets the tenant for its own statement, so that row-level security
 * holds without a transaction around every read.
 */
export async function up(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_by_id: 1, payment_by_transaction_id: 1 });
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION payment_by_id, payment_by_transaction_id');
}
