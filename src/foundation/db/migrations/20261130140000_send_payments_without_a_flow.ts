import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

/**
 * A payment may be sent by the process that accepts it, and the idempotency key of its request is claimed with it. `flow_due_at`: when its flow is started by the workers, unless it
 * has ended by then.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payments ADD COLUMN flow_due_at timestamptz;
    CREATE INDEX payments_flow_due ON payments (flow_due_at) WHERE flow_due_at IS NOT NULL;
    GRANT INSERT ON idempotency_keys TO tillway_app;
  `);
  await installFunctions(knex, { payment_accept_2: 1, payment_accept: 7, payment_move: 7 });
}

export async function down(knex: Knex): Promise<void> {
  await installFunctions(knex, { payment_accept: 6, payment_move: 6 });
  await knex.raw(`
    DROP FUNCTION payment_accept_2;
    REVOKE INSERT ON idempotency_keys FROM tillway_app;
    ALTER TABLE payments DROP COLUMN flow_due_at;
  `);
}
