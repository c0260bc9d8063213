import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

const BEFORE = "'credentials', 'verification', 'login', 'trading', 'funding', 'settings'";

/**
 * A customer confirms one act with a code: the amount and the payee that were shown, and nothing else (RTS article 5).
 * Nobody can change afterwards what was asked about: the application may only write down that it was confirmed and used.
 */
export async function up(knex: Knex): Promise<void> {
  await restrict(knex, `${BEFORE}, 'step_up'`);
  await knex.raw(`
    CREATE TABLE step_ups (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      customer_id text NOT NULL,
      purpose text NOT NULL CHECK (purpose IN ('card_payment', 'topup', 'transfer', 'bank_payment')),
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      currency char(3) NOT NULL,
      payee_id text NOT NULL,
      -- As the customer reads it.
      payee_name text NOT NULL,
      -- Of all the above, under a key: what is executed has to have the same.
      digest bytea NOT NULL,
      -- The question for the code, in customer_sessions as long as it is open.
      session_id text NOT NULL UNIQUE,
      method text NOT NULL CHECK (method IN ('email', 'sms', 'totp')),
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      expires_at timestamptz(3) NOT NULL,
      confirmed_at timestamptz(3),
      consumed_at timestamptz(3),
      -- The one payment that it was for.
      consumed_by text UNIQUE,
      FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id),
      CHECK (consumed_at IS NULL OR confirmed_at IS NOT NULL),
      CHECK ((consumed_at IS NULL) = (consumed_by IS NULL))
    );
    CREATE INDEX step_ups_by_customer ON step_ups (customer_id, id DESC);
    CREATE INDEX step_ups_unused ON step_ups (expires_at) WHERE consumed_at IS NULL;
    GRANT SELECT, INSERT, DELETE ON step_ups TO tillway_app, tillway_system;
    GRANT UPDATE (confirmed_at, consumed_at, consumed_by) ON step_ups TO tillway_app;
  `);
  await isolateByTenant(knex, 'step_ups');
  // The name of a payee may be a person's.
  await knex.raw('REVOKE ALL ON step_ups FROM tillway_ops');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE step_ups;
    DELETE FROM customer_sessions WHERE purpose = 'step_up';
  `);
  await restrict(knex, BEFORE);
}

async function restrict(knex: Knex, purposes: string): Promise<void> {
  await knex.raw(`
    ALTER TABLE customer_sessions DROP CONSTRAINT customer_sessions_purpose_check,
      ADD CONSTRAINT customer_sessions_purpose_check CHECK (purpose IN (${purposes}));
  `);
}
