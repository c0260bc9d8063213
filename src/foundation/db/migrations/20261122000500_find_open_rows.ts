import type { Knex } from 'knex';

/** What looks for rows whose flow is gone, or never heard of them, finds them by an index, however many have ended. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX payments_with_flow ON payments (id)
      WHERE status IN ('initiated', 'pending', 'requires_action', 'authorized');
    CREATE INDEX refunds_pending ON refunds (id) WHERE status = 'pending';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX payments_with_flow, refunds_pending');
}
