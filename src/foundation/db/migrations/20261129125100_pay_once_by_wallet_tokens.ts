import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/** A device-wallet token pays once: a payment keeps the hash of its token, and no other can have the same. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payments ADD COLUMN wallet_token text CHECK (wallet_token ~ '^[0-9a-f]{64}$');
    CREATE UNIQUE INDEX payments_wallet_token_once ON payments (wallet_token) WHERE wallet_token IS NOT NULL;
  `);
  await installFunctions(knex, { payment_accept: 5 });
}

export async function down(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_accept: 4 });
  await knex.raw('ALTER TABLE payments DROP COLUMN wallet_token');
}
