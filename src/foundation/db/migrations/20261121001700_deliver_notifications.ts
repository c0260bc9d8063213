import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/** Every try to deliver a notification, and what a merchant may change about one: when it is tried again. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE notification_attempts (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      notification_id text NOT NULL REFERENCES notifications,
      tenant_id text NOT NULL,
      at timestamptz(3) NOT NULL,
      -- Absent when no answer came.
      status integer,
      error text,
      duration_ms integer NOT NULL,
      CHECK (status IS NOT NULL OR error IS NOT NULL)
    );
    CREATE INDEX notification_attempts_by_notification ON notification_attempts (notification_id, id);
    CREATE INDEX notifications_of_payment ON notifications (payment_id, id DESC);
    GRANT SELECT ON notification_attempts TO tillway_app;
    GRANT SELECT, INSERT ON notification_attempts TO tillway_system;
    GRANT UPDATE (state, attempts, next_attempt_at) ON notifications TO tillway_app;
  `);
  await isolateByTenant(knex, 'notification_attempts');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    REVOKE UPDATE (state, attempts, next_attempt_at) ON notifications FROM tillway_app;
    DROP INDEX notifications_of_payment;
    DROP TABLE notification_attempts;
  `);
}
