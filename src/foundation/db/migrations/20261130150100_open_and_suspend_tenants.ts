import type { Knex } from 'knex';

/**
 * Operators make tenants, two of them for each, and may suspend one. Tenants from before are active. What is only proposed
 * counts as active once this is undone: nobody has an invitation to it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE tenants
      ADD COLUMN status text NOT NULL DEFAULT 'active' CHECK (status IN ('proposed', 'active', 'suspended', 'withdrawn')),
      ADD COLUMN country text,
      ADD COLUMN currency char(3),
      ADD COLUMN first_admin_id text REFERENCES users,
      ADD COLUMN proposed_by text,
      ADD COLUMN confirmed_by text,
      ADD COLUMN reason text,
      ADD COLUMN updated_at timestamptz(3) NOT NULL DEFAULT now(),
      ADD CONSTRAINT tenants_by_two CHECK (
        proposed_by IS NULL OR status IN ('proposed', 'withdrawn')
          OR (confirmed_by IS NOT NULL AND confirmed_by <> proposed_by)),
      ADD CONSTRAINT tenants_proposed_by_somebody CHECK (status NOT IN ('proposed', 'withdrawn') OR proposed_by IS NOT NULL),
      ADD CONSTRAINT tenants_platform_stays CHECK (id <> 'ten_platform' OR status = 'active');
    CREATE INDEX tenants_for_a_second_operator ON tenants (created_at, id) WHERE status = 'proposed';
    GRANT INSERT, DELETE ON production_methods TO tillway_system;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    REVOKE INSERT, DELETE ON production_methods FROM tillway_system;
    DROP INDEX tenants_for_a_second_operator;
    ALTER TABLE tenants
      DROP CONSTRAINT tenants_by_two, DROP CONSTRAINT tenants_proposed_by_somebody, DROP CONSTRAINT tenants_platform_stays,
      DROP COLUMN status, DROP COLUMN country, DROP COLUMN currency, DROP COLUMN first_admin_id, DROP COLUMN proposed_by,
      DROP COLUMN confirmed_by, DROP COLUMN reason, DROP COLUMN updated_at;
  `);
}
