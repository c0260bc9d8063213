import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/**
 * The three steps every payment takes, each one round trip and one transaction: accept, claim, move. What a step means
 * is decided by the program; these functions only write it down, all of it or nothing.
 */
export async function up(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_accept: 1, payment_claim: 1, payment_read: 1, payment_move: 1 });
  await knex.raw('GRANT SELECT, DELETE ON vault_cvvs TO tillway_system');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION payment_accept, payment_claim, payment_read, payment_move');
}
