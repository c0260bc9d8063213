import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/**
 * When a third party last read each resource of each account without the customer: four times in 24 hours at most, so
 * that the row never holds a fifth time. `account_id` 0: the list of all accounts.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE unattended_readings (
      consent_id text NOT NULL,
      account_id bigint NOT NULL,
      resource text NOT NULL,
      tenant_id text NOT NULL,
      read_at timestamptz(3)[] NOT NULL CHECK (cardinality(read_at) BETWEEN 1 AND 4),
      PRIMARY KEY (consent_id, account_id, resource),
      FOREIGN KEY (consent_id, tenant_id) REFERENCES consents (id, tenant_id)
    );
    GRANT SELECT, INSERT, UPDATE ON unattended_readings TO tillway_app;

    -- The mandates of an account number, which is sealed: its last digits leave few to open.
    CREATE INDEX mandates_by_iban_last4 ON mandates (tenant_id, iban_last4, id DESC);
  `);
  await isolateByTenant(knex, 'unattended_readings');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX mandates_by_iban_last4; DROP TABLE unattended_readings');
}
