import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/** Whether the organizations of a tenant may charge each other's customers. Without a row they may not. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE customer_sharing (
      tenant_id text PRIMARY KEY REFERENCES tenants,
      shared boolean NOT NULL,
      updated_by text NOT NULL,
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    GRANT SELECT, INSERT, UPDATE ON customer_sharing TO tillway_app, tillway_system;
  `);
  await isolateByTenant(knex, 'customer_sharing');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE customer_sharing');
}
