import type { Knex } from 'knex';

/** Audits of the books that operators order, with what they found; and the headers that a callback came with. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE books_audits (
      id text PRIMARY KEY,
      status text NOT NULL CHECK (status IN ('waiting', 'running', 'done', 'failed')),
      reason text NOT NULL,
      started_by text NOT NULL,
      -- One object per check, in the order in which they ran: check, findings.
      checks jsonb NOT NULL DEFAULT '[]',
      findings integer NOT NULL DEFAULT 0,
      failure text,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      -- The worker that runs it still lives.
      beat_at timestamptz(3),
      finished_at timestamptz(3),
      CHECK ((status IN ('done', 'failed')) = (finished_at IS NOT NULL)),
      CHECK ((status = 'failed') = (failure IS NOT NULL))
    );
    CREATE UNIQUE INDEX books_audits_one_at_a_time ON books_audits ((true)) WHERE status IN ('waiting', 'running');
    CREATE TABLE books_audit_findings (
      audit_id text NOT NULL REFERENCES books_audits ON DELETE CASCADE,
      number integer NOT NULL,
      check_name text NOT NULL,
      subject text NOT NULL,
      detail text NOT NULL,
      PRIMARY KEY (audit_id, number)
    );
    GRANT SELECT, INSERT, UPDATE, DELETE ON books_audits, books_audit_findings TO tillway_system;
    GRANT SELECT ON books_audits, books_audit_findings TO tillway_ops;
    -- Null: it came before they were kept.
    ALTER TABLE callback_inbox ADD COLUMN headers jsonb;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE callback_inbox DROP COLUMN headers;
    DROP TABLE books_audit_findings, books_audits;
  `);
}
