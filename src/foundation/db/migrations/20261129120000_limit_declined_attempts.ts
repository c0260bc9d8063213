import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant } from '../tenant-policy';

/**
 * How many card attempts may be declined in a time: what a tenant has set, and the attempts that count. An attempt has a row
 * for each thing that it counts for, from before it is sent until it ends otherwise than by a decline.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE DOMAIN attempt_subject AS text CHECK (VALUE IN ('customer', 'card', 'address', 'merchant'));

    CREATE TABLE attempt_limits (
      tenant_id text NOT NULL REFERENCES tenants,
      per attempt_subject NOT NULL,
      declined integer NOT NULL CHECK (declined > 0),
      window_seconds integer NOT NULL CHECK (window_seconds BETWEEN 1 AND 2592000),
      updated_by text NOT NULL,
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (tenant_id, per)
    );

    CREATE TABLE card_attempts (
      tenant_id text NOT NULL,
      per attempt_subject NOT NULL,
      key text NOT NULL,
      attempt_id text NOT NULL,
      at timestamptz(3) NOT NULL,
      PRIMARY KEY (tenant_id, attempt_id, per)
    );
    CREATE INDEX card_attempts_in_window ON card_attempts (tenant_id, per, key, at);
    CREATE INDEX card_attempts_by_age ON card_attempts (at);

    GRANT SELECT, INSERT, UPDATE, DELETE ON attempt_limits TO tillway_app, tillway_system;
    GRANT SELECT, INSERT, DELETE ON card_attempts TO tillway_app, tillway_system;
  `);
  for (const table of ['attempt_limits', 'card_attempts']) await isolateByTenant(knex, table);
  await installFunctions(knex, { source_network: 1, card_attempt_admit: 1, payment_claim_2: 1, payment_move: 5 });
}

export async function down(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_move: 4 });
  await knex.raw(`
    DROP FUNCTION payment_claim_2, card_attempt_admit, source_network;
    DROP TABLE card_attempts, attempt_limits;
    DROP DOMAIN attempt_subject;
  `);
}
