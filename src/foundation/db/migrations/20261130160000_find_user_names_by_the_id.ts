import type { Knex } from 'knex';

/** A user name is the tenant's own id of the customer, which has its index in `customers`: no keyed hash of it is needed. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("DELETE FROM customer_identifiers WHERE type = 'username'");
}

/** The hashes need a key that a migration does not have: a release before this one finds no customer by user name. */
export async function down(): Promise<void> {}
