import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/** Payment links of a merchant, each waiting until somebody approves it or its time is up. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE payment_links (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      status text NOT NULL CHECK (status IN ('waiting', 'approved', 'expired')),
      note text,
      -- Written down by whoever approves it; the flow acts on it.
      approved_by text,
      approved_at timestamptz(3),
      expires_at timestamptz(3) NOT NULL,
      -- When the flow is to look at it, at the latest: what it waits for survives its loss.
      look_at timestamptz(3),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      CHECK ((approved_by IS NULL) = (approved_at IS NULL)),
      CHECK (status <> 'approved' OR approved_at IS NOT NULL)
    );
    CREATE INDEX payment_links_by_organization ON payment_links (tenant_id, organization_id, id DESC);
    CREATE INDEX payment_links_due ON payment_links (look_at) WHERE look_at IS NOT NULL;
    GRANT SELECT, INSERT, UPDATE ON payment_links TO tillway_app;
    GRANT SELECT ON payment_links TO tillway_system;
  `);
  await isolateByTenant(knex, 'payment_links');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE payment_links');
}
