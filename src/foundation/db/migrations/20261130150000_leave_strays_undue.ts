import type { Knex } from 'knex';

/**
 * A callback that is about nothing of ours is due never (`next_attempt_at` is NULL): a round reads such rows in their order,
 * and writes only to those about which there is something by then.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE callback_inbox ALTER COLUMN next_attempt_at DROP NOT NULL;
    DROP INDEX callback_inbox_due;
    CREATE INDEX callback_inbox_due ON callback_inbox (next_attempt_at, received_at, id)
      WHERE state IN ('stored', 'unmatched');
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE callback_inbox SET next_attempt_at = now() WHERE next_attempt_at IS NULL;
    ALTER TABLE callback_inbox ALTER COLUMN next_attempt_at SET NOT NULL;
    DROP INDEX callback_inbox_due;
    CREATE INDEX callback_inbox_due ON callback_inbox (next_attempt_at) WHERE state IN ('stored', 'unmatched');
  `);
}
