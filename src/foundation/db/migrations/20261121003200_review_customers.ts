import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/**
 * Documents of customers and their files. Names, places and metadata lie sealed under a data key of the document's own,
 * each file under one of its own too; what the review decides lies in columns.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE customer_documents (
      id text PRIMARY KEY,
      customer_id text NOT NULL REFERENCES customers,
      tenant_id text NOT NULL,
      -- Its place in the customer's record.
      position integer NOT NULL,
      purpose text,
      document_type text,
      content_sealed bytea NOT NULL,
      content_key bytea NOT NULL,
      status text NOT NULL CHECK (status IN ('underverification', 'verified', 'rejected', 'expired')),
      verification_response text NOT NULL,
      expires_at timestamptz(3),
      reminded_at timestamptz(3),
      reviewed_by text,
      changed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      -- No longer in the record; kept as what a decision rested on.
      withdrawn_at timestamptz(3),
      UNIQUE (id, tenant_id)
    );
    CREATE INDEX customer_documents_by_customer ON customer_documents (customer_id, position);

    CREATE TABLE customer_files (
      id text PRIMARY KEY,
      document_id text NOT NULL,
      tenant_id text NOT NULL,
      content_type text NOT NULL CHECK (content_type IN ('application/pdf', 'image/png', 'image/jpeg')),
      data_key bytea NOT NULL,
      uploaded_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      -- Known once all of it is here.
      size_bytes integer,
      chunks integer,
      completed_at timestamptz(3),
      FOREIGN KEY (document_id, tenant_id) REFERENCES customer_documents (id, tenant_id),
      CHECK ((completed_at IS NULL) = (size_bytes IS NULL) AND (completed_at IS NULL) = (chunks IS NULL))
    );
    CREATE UNIQUE INDEX customer_files_one_per_document ON customer_files (document_id) WHERE completed_at IS NOT NULL;
    CREATE INDEX customer_files_abandoned ON customer_files (created_at) WHERE completed_at IS NULL;

    CREATE TABLE customer_file_chunks (
      file_id text NOT NULL REFERENCES customer_files ON DELETE CASCADE,
      tenant_id text NOT NULL,
      position integer NOT NULL,
      sealed bytea NOT NULL,
      PRIMARY KEY (file_id, position)
    );
    -- Sealed bytes do not compress.
    ALTER TABLE customer_file_chunks ALTER COLUMN sealed SET STORAGE EXTERNAL;

    -- When the verification flow of a customer is to look at it, at the latest: what the flow waits for survives its loss.
    CREATE TABLE customer_verifications (
      customer_id text PRIMARY KEY REFERENCES customers,
      tenant_id text NOT NULL,
      look_at timestamptz(3)
    );
    CREATE INDEX customer_verifications_due ON customer_verifications (look_at) WHERE look_at IS NOT NULL;

    GRANT SELECT, INSERT, UPDATE, DELETE ON customer_documents, customer_files, customer_verifications TO tillway_app;
    GRANT SELECT, INSERT, DELETE ON customer_file_chunks TO tillway_app;
    GRANT SELECT, UPDATE ON customer_documents, customer_verifications TO tillway_system;
    GRANT SELECT, UPDATE, DELETE ON customer_files TO tillway_system;
    -- A tenant reads its own part of the log; row-level security sees to that.
    GRANT SELECT ON audit_log TO tillway_app;
  `);
  for (const table of ['customer_documents', 'customer_files', 'customer_file_chunks', 'customer_verifications'])
    await isolateByTenant(knex, table);
  await knex.raw('REVOKE ALL ON customer_files, customer_file_chunks FROM tillway_ops');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    REVOKE SELECT ON audit_log FROM tillway_app;
    DROP TABLE customer_verifications, customer_file_chunks, customer_files, customer_documents;
  `);
}
