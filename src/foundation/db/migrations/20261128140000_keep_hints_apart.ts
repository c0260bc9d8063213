import type { Knex } from 'knex';

/**
 * What nobody signed lies apart from the inbox: it is little, it is bounded, and it goes. Operators see both in one list.
 * Test receivers forget.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE callback_hints (
      id text PRIMARY KEY,
      processor text NOT NULL,
      receiver text NOT NULL,
      event_id text NOT NULL,
      reference text NOT NULL,
      type text NOT NULL,
      event jsonb NOT NULL,
      raw bytea NOT NULL CHECK (length(raw) <= 8192),
      state text NOT NULL DEFAULT 'stored' CHECK (state IN ('stored', 'unmatched', 'ignored')),
      note text,
      attempts integer NOT NULL DEFAULT 0,
      next_attempt_at timestamptz(3) NOT NULL DEFAULT now(),
      received_at timestamptz(3) NOT NULL DEFAULT now(),
      handled_at timestamptz(3),
      CONSTRAINT callback_hints_event_once UNIQUE (processor, event_id)
    );
    CREATE INDEX callback_hints_due ON callback_hints (next_attempt_at) WHERE state IN ('stored', 'unmatched');
    CREATE INDEX callback_hints_by_age ON callback_hints (received_at);
    CREATE INDEX callback_hints_by_reference ON callback_hints (reference);
    CREATE VIEW callbacks_seen AS
      SELECT id, processor, receiver, event_id, reference, type, raw, headers, state, note, attempts, received_at, handled_at
      FROM callback_inbox
      UNION ALL
      SELECT id, processor, receiver, event_id, reference, type, raw, NULL::jsonb, state, note, attempts, received_at, handled_at
      FROM callback_hints;
    GRANT SELECT, INSERT, UPDATE, DELETE ON callback_hints TO tillway_system;
    GRANT SELECT ON callback_hints, callbacks_seen TO tillway_ops;
    GRANT DELETE ON test_callbacks TO tillway_system;
    CREATE INDEX test_callbacks_by_receiver ON test_callbacks (receiver, id);
    CREATE INDEX test_callbacks_by_age ON test_callbacks (received_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX test_callbacks_by_age, test_callbacks_by_receiver;
    REVOKE DELETE ON test_callbacks FROM tillway_system;
    DROP VIEW callbacks_seen;
    DROP TABLE callback_hints;
  `);
}
