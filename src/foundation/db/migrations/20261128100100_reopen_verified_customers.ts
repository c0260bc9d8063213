import type { Knex } from 'knex';

/** Customers who were verified and have changed since: they wait for a person, beside those under verification. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE customers ADD COLUMN reopened_at timestamptz(3),
      ADD CONSTRAINT customers_reopened CHECK (reopened_at IS NULL OR status = 'under_investigation');
    DROP INDEX customers_waiting, customers_waiting_by_organization;
    CREATE INDEX customers_waiting ON customers (tenant_id, status_since, id)
      WHERE (status = 'under_verificaiton' OR reopened_at IS NOT NULL) AND deleted_at IS NULL;
    CREATE INDEX customers_waiting_by_organization ON customers (organization_id, status_since, id)
      WHERE (status = 'under_verificaiton' OR reopened_at IS NOT NULL) AND deleted_at IS NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX customers_waiting, customers_waiting_by_organization;
    CREATE INDEX customers_waiting ON customers (tenant_id, status_since, id)
      WHERE status = 'under_verificaiton' AND deleted_at IS NULL;
    CREATE INDEX customers_waiting_by_organization ON customers (organization_id, status_since, id)
      WHERE status = 'under_verificaiton' AND deleted_at IS NULL;
    ALTER TABLE customers DROP COLUMN reopened_at;
  `);
}
