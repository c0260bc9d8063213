import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/** Merchants' applications to go live, with the documents they rest on. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE activations (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      -- 1 for the first application of the organization.
      number integer NOT NULL,
      status text NOT NULL CHECK (status IN ('submitted', 'in_review', 'approved', 'rejected', 'withdrawn')),
      -- What the merchant says of itself.
      declared jsonb NOT NULL,
      documents jsonb NOT NULL,
      callback_url text,
      -- Whether callback_url has answered a ping; unknown until the flow has tried.
      callback_answered boolean,
      submitted_by text NOT NULL,
      -- Written down by whoever decides; the flow acts on it.
      decision text CHECK (decision IN ('approved', 'rejected', 'withdrawn')),
      decided_by text,
      reason text,
      decided_at timestamptz(3),
      reminded_at timestamptz(3),
      -- When the flow is to look at it, at the latest: what it waits for survives its loss.
      look_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      UNIQUE (organization_id, number),
      CHECK ((decision IS NULL) = (decided_at IS NULL))
    );
    CREATE UNIQUE INDEX activations_one_open ON activations (organization_id) WHERE status IN ('submitted', 'in_review');
    CREATE INDEX activations_by_tenant ON activations (tenant_id, id DESC);
    CREATE INDEX activations_due ON activations (look_at) WHERE look_at IS NOT NULL;
    GRANT SELECT, INSERT, UPDATE ON activations TO tillway_app;
    GRANT SELECT, UPDATE ON activations TO tillway_system;
    GRANT UPDATE (live, country, currencies) ON organizations TO tillway_app;
  `);
  await isolateByTenant(knex, 'activations');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    REVOKE UPDATE (live, country, currencies) ON organizations FROM tillway_app;
    DROP TABLE activations;
  `);
}
