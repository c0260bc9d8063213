import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/** How a tenant's page for buyers looks, small copies of the pictures of items for it, and which receipts were sent. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE page_themes (
      tenant_id text PRIMARY KEY REFERENCES tenants (id),
      name text CHECK (name <> ''),
      accent text CHECK (accent ~ '^#[0-9a-f]{6}$'),
      ground text CHECK (ground ~ '^#[0-9a-f]{6}$'),
      logo bytea CHECK (octet_length(logo) <= 131072),
      -- By which a browser knows that its copy is the one that is here.
      logo_digest text GENERATED ALWAYS AS (left(encode(sha256(logo), 'hex'), 16)) STORED,
      updated_by text NOT NULL,
      updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    GRANT SELECT, INSERT, UPDATE ON page_themes TO tillway_app;
    GRANT SELECT ON page_themes TO tillway_system;

    CREATE TABLE item_thumbnails (
      file_id text PRIMARY KEY,
      tenant_id text NOT NULL,
      content bytea NOT NULL,
      FOREIGN KEY (file_id, tenant_id) REFERENCES files (id, tenant_id) ON DELETE CASCADE
    );
    GRANT SELECT, INSERT, DELETE ON item_thumbnails TO tillway_app;
    GRANT SELECT, DELETE ON item_thumbnails TO tillway_system;

    CREATE TABLE payment_receipts (
      payment_id text NOT NULL,
      tenant_id text NOT NULL,
      number integer NOT NULL CHECK (number BETWEEN 1 AND 4),
      message_id text NOT NULL,
      sent_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (payment_id, number),
      FOREIGN KEY (payment_id) REFERENCES payments (id) ON DELETE CASCADE
    );
    GRANT SELECT, INSERT ON payment_receipts TO tillway_app, tillway_system;

    -- Openings are counted for all tenants at once.
    GRANT SELECT, INSERT, UPDATE ON payment_link_opens TO tillway_system;
  `);
  await isolateByTenant(knex, 'payment_receipts');
  await isolateByTenant(knex, 'page_themes');
  await isolateByTenant(knex, 'item_thumbnails');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    REVOKE SELECT, INSERT, UPDATE ON payment_link_opens FROM tillway_system;
    DROP TABLE payment_receipts;
    DROP TABLE item_thumbnails;
    DROP TABLE page_themes;
  `);
}
