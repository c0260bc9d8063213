import type { Knex } from 'knex';

/** What looks for lost schedules finds those that are active by an index, and sees what became of their occurrences. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX p2p_schedules_active ON p2p_schedules (id) WHERE status = 'active';
    GRANT SELECT ON standing_order_runs TO tillway_system;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    REVOKE SELECT ON standing_order_runs FROM tillway_system;
    DROP INDEX p2p_schedules_active;
  `);
}
