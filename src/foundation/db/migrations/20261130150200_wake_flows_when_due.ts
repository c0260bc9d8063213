import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/**
 * `flow_due_at` is also when a flow that waits for a payer or a merchant has something to do, in place of a timer for each.
 * Those that wait now have timers; a flow that is started anew for one of them has none. What became of a callback is noted
 * with what it changed.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    UPDATE payments SET flow_due_at = waits_until WHERE waits_until IS NOT NULL AND flow_due_at IS NULL
      AND (status = 'requires_action' OR status = 'authorized' AND capture_mode = 'manual')
  `);
  await installFunctions(knex, { callback_end: 1, callback_read: 1, payment_move: 8 });
}

export async function down(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_move: 7 });
  await knex.raw('DROP FUNCTION callback_read; DROP FUNCTION callback_end');
}
