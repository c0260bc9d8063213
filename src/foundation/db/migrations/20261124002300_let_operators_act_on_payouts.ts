import type { Knex } from 'knex';

/**
 * An operator may say that a payout came back, where its processor does not; above a limit another one has to agree. A
 * payout that was refused or returned waits until an operator has seen it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payouts
      ADD COLUMN return_reason text,
      ADD COLUMN return_proposed_by text,
      ADD COLUMN return_proposed_at timestamptz(3),
      ADD COLUMN return_confirmed_by text,
      ADD CONSTRAINT payouts_return CHECK (num_nonnulls(return_reason, return_proposed_by, return_proposed_at) IN (0, 3)),
      ADD CONSTRAINT payouts_return_by_two CHECK (return_confirmed_by <> return_proposed_by);
    GRANT UPDATE (return_reason, return_proposed_by, return_proposed_at, return_confirmed_by) ON payouts
      TO tillway_app, tillway_system;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payouts
      DROP CONSTRAINT payouts_return_by_two,
      DROP CONSTRAINT payouts_return,
      DROP COLUMN return_confirmed_by,
      DROP COLUMN return_proposed_at,
      DROP COLUMN return_proposed_by,
      DROP COLUMN return_reason;
  `);
}
