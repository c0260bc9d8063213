import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant } from '../tenant-policy';

/**
 * Servers that an organization wants told of what happens, whatever it is about, each with a secret of its own. A
 * notification is for one of them, or for the address that came with its payment.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE notification_endpoints (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      -- An organization has sixteen places. Null: it was removed.
      place smallint CHECK (place BETWEEN 1 AND 16),
      url text NOT NULL,
      -- Scheme, host and port of the url.
      origin text NOT NULL,
      description text,
      -- Types, or a subject and an asterisk (payout.*). Null: everything.
      events text[] CHECK (cardinality(events) > 0),
      secret_sealed bytea NOT NULL,
      status text NOT NULL CHECK (status IN ('enabled', 'disabled', 'removed')),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      UNIQUE (id, tenant_id),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      CONSTRAINT notification_endpoints_place UNIQUE (organization_id, place),
      CHECK ((place IS NULL) = (status = 'removed'))
    );
    GRANT SELECT, INSERT, UPDATE ON notification_endpoints TO tillway_app, tillway_system;

    ALTER TABLE notifications
      ALTER COLUMN terminal_id DROP NOT NULL,
      -- Null: it is for the address that came with the payment.
      ADD COLUMN endpoint_id text,
      -- What it is about, where that is no payment.
      ADD COLUMN subject_id text,
      ADD CONSTRAINT notifications_endpoint FOREIGN KEY (endpoint_id, tenant_id)
        REFERENCES notification_endpoints (id, tenant_id),
      -- One of them signs it.
      ADD CONSTRAINT notifications_signer CHECK (terminal_id IS NOT NULL OR endpoint_id IS NOT NULL),
      ADD CONSTRAINT notifications_one_subject CHECK (num_nonnulls(payment_id, subject_id) <= 1);
    CREATE INDEX notifications_by_subject ON notifications (subject_id, sequence) WHERE subject_id IS NOT NULL;
    CREATE INDEX notifications_by_endpoint ON notifications (endpoint_id, id DESC) WHERE endpoint_id IS NOT NULL;
    CREATE INDEX notifications_in_turn ON notifications ((coalesce(subject_id, payment_id)), sequence)
      WHERE state = 'pending';
    DROP INDEX notifications_by_payment;
    -- An endpoint may have moved to another address since.
    GRANT UPDATE (url, endpoint) ON notifications TO tillway_app;
  `);
  await isolateByTenant(knex, 'notification_endpoints');
  await installFunctions(knex, { notification_enqueue: 1, payment_move: 4 });
}

/** What was for endpoints goes with them. */
export async function down(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_move: 3 });
  await knex.raw(`
    DROP FUNCTION notification_enqueue;
    REVOKE UPDATE (url, endpoint) ON notifications FROM tillway_app;
    CREATE INDEX notifications_by_payment ON notifications (payment_id, sequence) WHERE state = 'pending';
    DROP INDEX notifications_in_turn, notifications_by_endpoint, notifications_by_subject;
    -- The owner of the tables is under their policies too, and none is for it.
    ALTER TABLE notifications NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE notification_attempts NO FORCE ROW LEVEL SECURITY;
    DELETE FROM notification_attempts WHERE notification_id IN (SELECT id FROM notifications WHERE endpoint_id IS NOT NULL);
    DELETE FROM notifications WHERE endpoint_id IS NOT NULL;
    ALTER TABLE notifications FORCE ROW LEVEL SECURITY;
    ALTER TABLE notification_attempts FORCE ROW LEVEL SECURITY;
    ALTER TABLE notifications
      DROP CONSTRAINT notifications_one_subject,
      DROP CONSTRAINT notifications_signer,
      DROP CONSTRAINT notifications_endpoint,
      DROP COLUMN subject_id,
      DROP COLUMN endpoint_id,
      ALTER COLUMN terminal_id SET NOT NULL;
    DROP TABLE notification_endpoints;
  `);
}
