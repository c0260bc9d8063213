import type { Knex } from 'knex';

/** The tokens of a client, which end when its secret does, among those of all. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX oidc_payloads_client ON oidc_payloads ((payload->>'clientId')) WHERE model = 'ClientCredentials'
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX oidc_payloads_client');
}
