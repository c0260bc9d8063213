import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/** Each constraint is checked against the rows that are there beside the writers. */
export const config = { transaction: false };

/**
 * Postgres parses the text of a check, and of a trigger's condition, anew for each INSERT. A list in one value takes less than
 * a list of values, and a hold that is ended is named by `pending_id` as well as by the phase.
 */
export async function up(knex: Knex): Promise<void> {
  await replaceChecks(knex, {
    phase: "phase = ANY ('{posted,pending,post,void}'::text[])",
    pending: "(pending_id IS NOT NULL) = (phase = ANY ('{post,void}'::text[]))",
    endsHold: 'NEW.pending_id IS NOT NULL',
  });
  await installFunctions(knex, { ledger_book: 2 });
}

export async function down(knex: Knex): Promise<void> {
  await installFunctions(knex, { ledger_book: 1 });
  await replaceChecks(knex, {
    phase: "phase IN ('posted', 'pending', 'post', 'void')",
    pending: "(pending_id IS NOT NULL) = (phase IN ('post', 'void'))",
    endsHold: "NEW.phase IN ('post', 'void')",
  });
}

/** The table is never without them: the new ones are there when the old ones go. */
async function replaceChecks(
  knex: Knex,
  { phase, pending, endsHold }: { phase: string; pending: string; endsHold: string },
): Promise<void> {
  await knex.transaction((trx) =>
    trx.raw(`
      ALTER TABLE ledger_transfers
        DROP CONSTRAINT ledger_transfers_phase_check,
        ADD CONSTRAINT ledger_transfers_phase_check CHECK (${phase}) NOT VALID,
        DROP CONSTRAINT ledger_transfers_check1,
        ADD CONSTRAINT ledger_transfers_check1 CHECK (${pending}) NOT VALID;
      CREATE OR REPLACE TRIGGER ledger_transfers_check_resolution BEFORE INSERT ON ledger_transfers
        FOR EACH ROW WHEN (${endsHold}) EXECUTE FUNCTION ledger_check_resolution();
    `),
  );
  for (const name of ['ledger_transfers_phase_check', 'ledger_transfers_check1'])
    await knex.raw(`ALTER TABLE ledger_transfers VALIDATE CONSTRAINT ${name}`);
}
