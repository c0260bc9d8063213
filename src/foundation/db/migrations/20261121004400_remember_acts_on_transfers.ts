import type { Knex } from 'knex';

/**
 * Which request moved a transfer last: repeated under its idempotency key after a crash, it finds what it did rather than
 * a transfer that is past it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE p2p_transfers ADD COLUMN act_id text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE p2p_transfers DROP COLUMN act_id');
}
