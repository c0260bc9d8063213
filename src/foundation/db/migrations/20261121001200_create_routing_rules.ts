import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/** Which processors serve a tenant's payments, in order; and how risky an organization's business is. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE routing_rules (
      tenant_id text NOT NULL REFERENCES tenants,
      position integer NOT NULL CHECK (position >= 0),
      rule jsonb NOT NULL,
      updated_by text NOT NULL,
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (tenant_id, position)
    );
    ALTER TABLE organizations ADD COLUMN risk text NOT NULL DEFAULT 'standard'
      CHECK (risk IN ('standard', 'elevated', 'high'));
    GRANT SELECT, INSERT, DELETE ON routing_rules TO tillway_app;
  `);
  await isolateByTenant(knex, 'routing_rules');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE organizations DROP COLUMN risk; DROP TABLE routing_rules');
}
