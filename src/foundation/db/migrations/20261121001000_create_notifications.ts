import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant } from '../tenant-policy';

/**
 * What merchants are to be told, written in the transaction of the step it tells about (`payment_move`), and a payment's
 * step that may also change the processor (fail-over). The body is kept as the text that is signed and sent.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE notifications (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      terminal_id text NOT NULL REFERENCES merchant_accounts (terminal_id),
      -- Absent on a test.
      payment_id text REFERENCES payments,
      -- Order within a payment: its version after the step.
      sequence integer NOT NULL,
      type text NOT NULL,
      url text NOT NULL,
      -- Scheme, host and port of the url: what is down is down as a whole.
      endpoint text NOT NULL,
      body text NOT NULL,
      state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
      attempts integer NOT NULL DEFAULT 0,
      next_attempt_at timestamptz(3) DEFAULT now(),
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      delivered_at timestamptz(3)
    );
    CREATE INDEX notifications_due ON notifications (organization_id, endpoint, next_attempt_at) WHERE state = 'pending';
    CREATE INDEX notifications_by_payment ON notifications (payment_id, sequence) WHERE state = 'pending';
    CREATE INDEX notifications_by_organization ON notifications (organization_id, id DESC);
    GRANT SELECT, INSERT ON notifications TO tillway_app;
    GRANT SELECT, INSERT, UPDATE ON notifications TO tillway_system;
  `);
  await isolateByTenant(knex, 'notifications');
  await knex.raw('DROP FUNCTION payment_move');
  await installFunctions(knex, { payment_move: 2 });
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP FUNCTION payment_move');
  await installFunctions(knex, { payment_move: 1 });
  await knex.raw('DROP TABLE notifications');
}
