import type { Knex } from 'knex';

/** People and clients are listed and managed; a person sees where they are signed in. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE users
      ADD COLUMN removed_at timestamptz(3),
      ADD COLUMN invited_by text,
      -- Who is removed cannot sign in.
      ADD CONSTRAINT users_removed_are_disabled CHECK (removed_at IS NULL OR disabled_at IS NOT NULL);
    CREATE INDEX users_by_tenant ON users (tenant_id, id DESC);

    ALTER TABLE user_tokens
      ADD COLUMN id text NOT NULL UNIQUE DEFAULT 'uss_' || replace(gen_random_uuid()::text, '-', ''),
      ADD COLUMN source text,
      ADD COLUMN agent text;

    ALTER TABLE clients ADD COLUMN created_by text;
    CREATE INDEX clients_by_tenant ON clients (tenant_id, id DESC);
    CREATE INDEX clients_by_organization ON clients (organization_id) WHERE organization_id IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX clients_by_organization;
    DROP INDEX clients_by_tenant;
    ALTER TABLE clients DROP COLUMN created_by;
    ALTER TABLE user_tokens DROP COLUMN agent, DROP COLUMN source, DROP COLUMN id;
    DROP INDEX users_by_tenant;
    ALTER TABLE users DROP CONSTRAINT users_removed_are_disabled, DROP COLUMN invited_by, DROP COLUMN removed_at;
  `);
}
