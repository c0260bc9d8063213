import type { Knex } from 'knex';

/** A customer's list of consents says when each was last used: refusals, however many, are not gone through for it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'CREATE INDEX consent_accesses_answered ON consent_accesses (consent_id, id DESC) WHERE refusal IS NULL',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX consent_accesses_answered');
}
