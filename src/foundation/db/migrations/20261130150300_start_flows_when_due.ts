import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/** A payment may have no flow before there is something for it to do (`PAYMENT_FLOWS=due`). Each that is there has one. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE payments ADD COLUMN has_flow boolean NOT NULL DEFAULT true');
  await installFunctions(knex, { payment_accept_2: 2 });
}

export async function down(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_accept_2: 1 });
  await knex.raw('ALTER TABLE payments DROP COLUMN has_flow');
}
