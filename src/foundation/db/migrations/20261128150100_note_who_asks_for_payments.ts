import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/** The audit log has a line for each payment that a client asks for. */
export async function up(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_accept: 4 });
}

export async function down(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_accept: 3 });
}
