import type { Knex } from 'knex';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

/**
 * Whom customers send money to again and again, and what became of each time. A standing order is a schedule of transfers
 * that its customer can pause.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE beneficiaries (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      customer_id text NOT NULL,
      type text NOT NULL CHECK (type IN ('alias', 'customer', 'iban')),
      -- One customer saves one recipient once.
      mac bytea NOT NULL,
      -- Name and recipient, for the customer to read.
      sealed bytea NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id),
      CONSTRAINT beneficiaries_once UNIQUE (customer_id, type, mac)
    );
    CREATE INDEX beneficiaries_by_customer ON beneficiaries (customer_id, id DESC);

    ALTER TABLE p2p_schedules
      ADD COLUMN paused_at timestamptz(3),
      ADD COLUMN beneficiary_id text REFERENCES beneficiaries ON DELETE SET NULL,
      ADD CONSTRAINT p2p_schedules_pausable CHECK (paused_at IS NULL OR kind = 'standing_order');
    CREATE INDEX p2p_schedules_by_beneficiary ON p2p_schedules (beneficiary_id) WHERE beneficiary_id IS NOT NULL;

    CREATE TABLE standing_order_runs (
      order_id text NOT NULL REFERENCES p2p_schedules,
      due_at timestamptz(3) NOT NULL,
      tenant_id text NOT NULL,
      status text NOT NULL CHECK (status IN ('made', 'failed', 'skipped')),
      transfer_id text REFERENCES p2p_transfers,
      detail text NOT NULL,
      at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (order_id, due_at),
      CHECK ((status = 'skipped') = (transfer_id IS NULL))
    );
    GRANT SELECT, INSERT, UPDATE, DELETE ON beneficiaries TO tillway_app;
    GRANT SELECT, UPDATE ON beneficiaries TO tillway_system;
    GRANT SELECT, INSERT ON standing_order_runs TO tillway_app;
  `);
  await isolateByTenant(knex, 'beneficiaries');
  await isolateByTenant(knex, 'standing_order_runs');
  await knex.raw('REVOKE ALL ON beneficiaries FROM tillway_ops');
  await makeAppendOnly(knex, 'standing_order_runs');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE standing_order_runs;
    ALTER TABLE p2p_schedules DROP CONSTRAINT p2p_schedules_pausable, DROP COLUMN beneficiary_id, DROP COLUMN paused_at;
    DROP TABLE beneficiaries;
  `);
}
