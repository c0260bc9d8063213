import type { Knex } from 'knex';
import { makeAppendOnly } from '../tenant-policy';

/** What providers sent us, each event once, and what we refused to believe. Tenants have no access. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE callback_inbox (
      id text PRIMARY KEY,
      processor text NOT NULL,
      receiver text NOT NULL,
      event_id text NOT NULL,
      reference text NOT NULL,
      type text NOT NULL,
      event jsonb NOT NULL,
      raw bytea NOT NULL,
      state text NOT NULL DEFAULT 'stored'
        CHECK (state IN ('stored', 'applied', 'ignored', 'unmatched', 'flagged')),
      note text,
      attempts integer NOT NULL DEFAULT 0,
      next_attempt_at timestamptz(3) NOT NULL DEFAULT now(),
      received_at timestamptz(3) NOT NULL DEFAULT now(),
      handled_at timestamptz(3),
      CONSTRAINT callback_inbox_event_once UNIQUE (processor, event_id)
    );
    CREATE INDEX callback_inbox_due ON callback_inbox (next_attempt_at) WHERE state IN ('stored', 'unmatched');
    CREATE INDEX callback_inbox_by_reference ON callback_inbox (reference);
    CREATE TABLE test_callbacks (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      receiver text NOT NULL,
      content jsonb NOT NULL,
      received_at timestamptz(3) NOT NULL DEFAULT now()
    );
    CREATE TABLE security_events (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      kind text NOT NULL,
      source text,
      detail jsonb NOT NULL DEFAULT '{}',
      at timestamptz(3) NOT NULL DEFAULT now()
    );
    GRANT SELECT, INSERT, UPDATE ON callback_inbox TO tillway_system;
    GRANT SELECT, INSERT ON test_callbacks, security_events TO tillway_system;
    GRANT SELECT ON callback_inbox, security_events TO tillway_ops;
  `);
  await makeAppendOnly(knex, 'security_events');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE security_events, test_callbacks, callback_inbox');
}
