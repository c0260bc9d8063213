import type { Knex } from 'knex';

/** Since when something waits for a tenant admin, and indexes that find what has waited longest, kind by kind. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE items ADD COLUMN waiting_since timestamptz(3) DEFAULT clock_timestamp();
    ALTER TABLE customers ADD COLUMN status_since timestamptz(3) DEFAULT now();
    -- The owner of the tables is under their policies too, and none is for it.
    ALTER TABLE items NO FORCE ROW LEVEL SECURITY;
    UPDATE items SET waiting_since = updated_at;
    ALTER TABLE items FORCE ROW LEVEL SECURITY, ALTER COLUMN waiting_since SET NOT NULL;
    ALTER TABLE customers NO FORCE ROW LEVEL SECURITY;
    UPDATE customers SET status_since = updated_at;
    ALTER TABLE customers FORCE ROW LEVEL SECURITY, ALTER COLUMN status_since SET NOT NULL;

    CREATE INDEX items_waiting ON items (tenant_id, waiting_since, id) WHERE status = 'pending_approval';
    CREATE INDEX items_waiting_by_organization ON items (organization_id, waiting_since, id)
      WHERE status = 'pending_approval';
    CREATE INDEX payment_links_waiting ON payment_links (tenant_id, created_at, id) WHERE status = 'pending_approval';
    CREATE INDEX payment_links_waiting_by_organization ON payment_links (organization_id, created_at, id)
      WHERE status = 'pending_approval';
    CREATE INDEX customer_documents_waiting ON customer_documents (tenant_id, changed_at, id)
      WHERE status = 'underverification' AND withdrawn_at IS NULL;
    CREATE INDEX customers_waiting ON customers (tenant_id, status_since, id)
      WHERE status = 'under_verificaiton' AND deleted_at IS NULL;
    CREATE INDEX customers_waiting_by_organization ON customers (organization_id, status_since, id)
      WHERE status = 'under_verificaiton' AND deleted_at IS NULL;
    CREATE INDEX payout_accounts_waiting ON payout_accounts (tenant_id, created_at, id) WHERE status = 'unverified';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX payout_accounts_waiting, customers_waiting_by_organization, customers_waiting, customer_documents_waiting,
      payment_links_waiting_by_organization, payment_links_waiting, items_waiting_by_organization, items_waiting;
    ALTER TABLE customers DROP COLUMN status_since;
    ALTER TABLE items DROP COLUMN waiting_since;
  `);
}
