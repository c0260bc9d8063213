import type { Knex } from 'knex';

/**
 * How often a capture or void was sent, and until when its last send may still be on its way: a repeat before that asks
 * first. NULL: it never left, or is known not to have been taken.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE payment_operations
      ADD COLUMN sends integer NOT NULL DEFAULT 0,
      ADD COLUMN in_flight_until timestamptz(3),
      ADD COLUMN detail text;
    UPDATE payment_operations SET sends = 1, in_flight_until = sent_at + interval '1 hour' WHERE status = 'pending';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE payment_operations DROP COLUMN sends, DROP COLUMN in_flight_until, DROP COLUMN detail');
}
