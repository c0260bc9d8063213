import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/** Pictures of items lie where the files of documents do. They belong to the organization; items name them in a sequence. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE files
      ADD COLUMN organization_id text,
      ADD FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      ADD UNIQUE (id, tenant_id),
      DROP CONSTRAINT files_one_owner,
      ADD CONSTRAINT files_one_owner CHECK (num_nonnulls(document_id, activation_id, organization_id) = 1),
      DROP CONSTRAINT customer_files_content_type_check,
      ADD CONSTRAINT files_content_type CHECK (content_type IN ('image/png', 'image/jpeg')
        OR content_type = CASE WHEN organization_id IS NULL THEN 'application/pdf' ELSE 'image/webp' END);
    CREATE INDEX files_of_organizations ON files (completed_at) WHERE organization_id IS NOT NULL;

    CREATE TABLE item_images (
      item_id text NOT NULL,
      tenant_id text NOT NULL,
      position integer NOT NULL CHECK (position BETWEEN 1 AND 8),
      file_id text NOT NULL,
      PRIMARY KEY (item_id, position),
      UNIQUE (item_id, file_id),
      FOREIGN KEY (item_id, tenant_id) REFERENCES items (id, tenant_id),
      CONSTRAINT item_images_file FOREIGN KEY (file_id, tenant_id) REFERENCES files (id, tenant_id)
    );
    CREATE INDEX item_images_by_file ON item_images (file_id);
    GRANT SELECT, INSERT, DELETE ON item_images TO tillway_app;
    GRANT SELECT ON item_images TO tillway_system;
  `);
  await isolateByTenant(knex, 'item_images');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE item_images;
    -- The owner of the tables is under their policies too, and none is for it.
    ALTER TABLE files NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE file_chunks NO FORCE ROW LEVEL SECURITY;
    DELETE FROM files WHERE organization_id IS NOT NULL;
    ALTER TABLE files FORCE ROW LEVEL SECURITY;
    ALTER TABLE file_chunks FORCE ROW LEVEL SECURITY;
    DROP INDEX files_of_organizations;
    ALTER TABLE files
      DROP CONSTRAINT files_content_type,
      ADD CONSTRAINT customer_files_content_type_check
        CHECK (content_type IN ('application/pdf', 'image/png', 'image/jpeg')),
      DROP CONSTRAINT files_one_owner,
      DROP CONSTRAINT files_id_tenant_id_key,
      DROP COLUMN organization_id,
      ADD CONSTRAINT files_one_owner CHECK (num_nonnulls(document_id, activation_id) = 1);
  `);
}
