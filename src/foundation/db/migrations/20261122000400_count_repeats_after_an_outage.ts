import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/** A request that was taken back in an outage of the engine and is repeated counts against the limits again. */
export async function up(knex: Knex): Promise<void> {
  await installFunctions(knex, { spend_allowance: 2 });
}

export async function down(knex: Knex): Promise<void> {
  await installFunctions(knex, { spend_allowance: 1 });
}
