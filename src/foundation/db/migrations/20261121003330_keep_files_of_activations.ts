import type { Knex } from 'knex';

/** Tables, with their indexes and policies, that no longer belong to customers alone. */
const RENAMED = ['file_chunks', 'files'];
const INDEXES = ['files_pkey', 'files_one_per_document', 'files_abandoned', 'file_chunks_pkey'];
const POLICIES = ['tenant', 'system', 'ops'];

/** Files of the documents that applications to go live name lie where those of customers' documents do. */
export async function up(knex: Knex): Promise<void> {
  for (const table of RENAMED) await rename(knex, `customer_${table}`, table);
  for (const index of INDEXES) await knex.raw(`ALTER INDEX customer_${index} RENAME TO ${index}`);
  await knex.raw(`
    ALTER TABLE activations ADD UNIQUE (id, tenant_id);
    ALTER TABLE files
      ALTER COLUMN document_id DROP NOT NULL,
      ADD COLUMN activation_id text,
      -- The place of the document in the application, from 1.
      ADD COLUMN activation_document integer,
      ADD FOREIGN KEY (activation_id, tenant_id) REFERENCES activations (id, tenant_id),
      ADD CONSTRAINT files_one_owner CHECK (num_nonnulls(document_id, activation_id) = 1),
      ADD CONSTRAINT files_activation_document CHECK (num_nonnulls(activation_id, activation_document) IN (0, 2));
    CREATE UNIQUE INDEX files_one_per_activation_document ON files (activation_id, activation_document)
      WHERE completed_at IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The owner of the tables is under their policies too, and none is for it.
    ALTER TABLE files NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE file_chunks NO FORCE ROW LEVEL SECURITY;
    DELETE FROM files WHERE activation_id IS NOT NULL;
    ALTER TABLE files FORCE ROW LEVEL SECURITY;
    ALTER TABLE file_chunks FORCE ROW LEVEL SECURITY;
    DROP INDEX files_one_per_activation_document;
    ALTER TABLE files
      DROP CONSTRAINT files_activation_document,
      DROP CONSTRAINT files_one_owner,
      DROP COLUMN activation_document,
      DROP COLUMN activation_id,
      ALTER COLUMN document_id SET NOT NULL;
    ALTER TABLE activations DROP CONSTRAINT activations_id_tenant_id_key;
  `);
  for (const index of INDEXES) await knex.raw(`ALTER INDEX ${index} RENAME TO customer_${index}`);
  for (const table of RENAMED) await rename(knex, table, `customer_${table}`);
}

async function rename(knex: Knex, from: string, to: string): Promise<void> {
  await knex.raw(`ALTER TABLE ${from} RENAME TO ${to}`);
  for (const policy of POLICIES) await knex.raw(`ALTER POLICY ${from}_${policy} ON ${to} RENAME TO ${to}_${policy}`);
}
