import type { Knex } from 'knex';

/** Providers may be registered for FAPI 1.0 Advanced as a whole. Those that are become `fapi1` on the way down. */
export async function up(knex: Knex): Promise<void> {
  await allow(knex, ['fapi1', 'fapi1_advanced', 'fapi2']);
}

export async function down(knex: Knex): Promise<void> {
  await knex('tpps').where({ profile: 'fapi1_advanced' }).update({ profile: 'fapi1' });
  await allow(knex, ['fapi1', 'fapi2']);
}

async function allow(knex: Knex, profiles: string[]): Promise<void> {
  const names = profiles.map((name) => `'${name}'`).join(', ');
  await knex.raw(`
    ALTER TABLE tpps DROP CONSTRAINT tpps_profile_check;
    ALTER TABLE tpps ADD CONSTRAINT tpps_profile_check CHECK (profile IN (${names}));
  `);
}
