import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/**
 * E-mails and SMS on their way. Address and text lie sealed and are erased once the message has gone, so that what is
 * left is when something was sent, not to whom or what. `decoy`: nothing is sent; written so that a request which finds
 * nobody does the same work as one which does.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE messages (
      id text PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      channel text NOT NULL CHECK (channel IN ('email', 'sms')),
      state text NOT NULL CHECK (state IN ('queued', 'delivered', 'refused', 'expired', 'decoy')),
      sealed bytea,
      tries integer NOT NULL DEFAULT 0,
      next_try_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      ended_at timestamptz(3),
      CHECK ((state = 'queued') = (sealed IS NOT NULL)),
      CHECK ((state IN ('queued', 'decoy')) = (ended_at IS NULL))
    );
    CREATE INDEX messages_due ON messages (next_try_at) WHERE state = 'queued';
    CREATE INDEX messages_by_age ON messages (created_at);
    GRANT INSERT ON messages TO tillway_app;
    GRANT SELECT, INSERT, UPDATE, DELETE ON messages TO tillway_system;
  `);
  await isolateByTenant(knex, 'messages');
  await knex.raw('REVOKE ALL ON messages FROM tillway_ops');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE messages');
}
