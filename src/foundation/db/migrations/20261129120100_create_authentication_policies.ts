import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/**
 * When payers of a tenant have to authenticate (3-D Secure), and how often each card was let off for low value since it last
 * did. Amounts of the latter in euro cents.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE authentication_policies (
      tenant_id text PRIMARY KEY REFERENCES tenants,
      policy jsonb NOT NULL,
      updated_by text NOT NULL,
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    CREATE TABLE low_value_runs (
      tenant_id text NOT NULL,
      fingerprint bytea NOT NULL,
      uses integer NOT NULL CHECK (uses > 0),
      sum_minor bigint NOT NULL CHECK (sum_minor > 0),
      PRIMARY KEY (tenant_id, fingerprint)
    );
    GRANT SELECT, INSERT, UPDATE, DELETE ON authentication_policies, low_value_runs TO tillway_app, tillway_system;
  `);
  for (const table of ['authentication_policies', 'low_value_runs']) await isolateByTenant(knex, table);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE low_value_runs, authentication_policies');
}
