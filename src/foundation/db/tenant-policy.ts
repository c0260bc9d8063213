import type { Knex } from 'knex';

/**
 * Puts a table with a `tenant_id` column under forced row-level security. The application role sees one tenant per
 * transaction (`tillway.tenant`); the system role (inbox, settlement, sign-in) and the read-only ops role see all.
 */
export async function isolateByTenant(knex: Knex, table: string): Promise<void> {
  await knex.raw(`
    ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
    ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
    CREATE POLICY ${table}_tenant ON ${table} TO tillway_app
      USING (tenant_id = current_setting('tillway.tenant', true))
      WITH CHECK (tenant_id = current_setting('tillway.tenant', true));
    CREATE POLICY ${table}_system ON ${table} TO tillway_system USING (true) WITH CHECK (true);
    CREATE POLICY ${table}_ops ON ${table} FOR SELECT TO tillway_ops USING (true);
    GRANT SELECT ON ${table} TO tillway_ops;
  `);
}

/** Makes a table append-only for everybody, its owner included: rows are neither changed nor removed. */
export async function makeAppendOnly(knex: Knex, table: string): Promise<void> {
  await knex.raw(`
    CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE ON ${table}
      FOR EACH ROW EXECUTE FUNCTION refuse_change();
    CREATE TRIGGER ${table}_no_truncate BEFORE TRUNCATE ON ${table}
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
  `);
}
