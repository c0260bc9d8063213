import type { Knex } from 'knex';

/**
 * A user name is the tenant's own id of the customer, which has its index in `customers`: no keyed hash of it is needed. The
 * index of an organization's customers leaves out those of none.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DELETE FROM customer_identifiers WHERE type = 'username';
    DROP INDEX customers_by_organization;
    CREATE INDEX customers_by_organization ON customers (organization_id, id DESC)
      WHERE organization_id IS NOT NULL AND deleted_at IS NULL;
  `);
}

/** The hashes need a key that a migration does not have: a release before this one finds no customer by user name. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX customers_by_organization;
    CREATE INDEX customers_by_organization ON customers (organization_id, id DESC) WHERE deleted_at IS NULL;
  `);
}
