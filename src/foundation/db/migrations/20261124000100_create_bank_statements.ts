import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

/**
 * A tenant's own accounts at banks, and the statements of them. A line is kept as its bank wrote it; what it becomes in the
 * books is decided afterwards, once.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE bank_accounts (
      id text PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      -- Every buyer is shown it: it is no secret.
      iban text NOT NULL,
      bic text,
      bank_name text,
      holder text NOT NULL,
      currency char(3) NOT NULL,
      status text NOT NULL CHECK (status IN ('active', 'closed')),
      -- How the bank writes its CSV files; null where it sends none.
      csv_mapping jsonb,
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT bank_accounts_once UNIQUE (tenant_id, iban, currency),
      CONSTRAINT bank_accounts_of_tenant UNIQUE (id, tenant_id)
    );

    CREATE TABLE bank_statements (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      account_id text NOT NULL,
      format text NOT NULL CHECK (format IN ('camt.053', 'camt.054', 'mt940', 'csv')),
      version text,
      -- Of the file and of the place of the statement in it: the same file is the same statement.
      digest bytea NOT NULL,
      -- What the bank calls it.
      reference text,
      -- Balances that the bank states; null where the format has none. Negative: overdrawn.
      opening_minor bigint,
      closing_minor bigint,
      -- YYYY-MM-DD.
      closing_on text CHECK (closing_on ~ '^\\d{4}-\\d{2}-\\d{2}$'),
      lines integer NOT NULL DEFAULT 0,
      credits_minor bigint NOT NULL DEFAULT 0 CHECK (credits_minor >= 0),
      debits_minor bigint NOT NULL DEFAULT 0 CHECK (debits_minor >= 0),
      -- How far it is booked.
      booked_lines integer NOT NULL DEFAULT 0,
      status text NOT NULL CHECK (status IN ('stored', 'booked')),
      uploaded_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      booked_at timestamptz(3),
      FOREIGN KEY (account_id, tenant_id) REFERENCES bank_accounts (id, tenant_id),
      CONSTRAINT bank_statements_once UNIQUE (account_id, digest),
      CONSTRAINT bank_statements_add_up CHECK (opening_minor IS NULL
        OR opening_minor + credits_minor - debits_minor = closing_minor),
      CONSTRAINT bank_statements_whole CHECK ((opening_minor IS NULL) = (closing_minor IS NULL)
        AND (closing_on IS NULL) = (closing_minor IS NULL)),
      CONSTRAINT bank_statements_progress CHECK (booked_lines BETWEEN 0 AND lines
        AND (status = 'stored' OR booked_lines = lines) AND ((status = 'booked') = (booked_at IS NOT NULL)))
    );
    CREATE INDEX bank_statements_by_tenant ON bank_statements (tenant_id, id DESC);
    CREATE INDEX bank_statements_to_book ON bank_statements (id) WHERE status = 'stored';

    CREATE TABLE bank_statement_lines (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      statement_id text NOT NULL REFERENCES bank_statements,
      number integer NOT NULL CHECK (number > 0),
      direction text NOT NULL CHECK (direction IN ('credit', 'debit')),
      -- The bank takes an earlier line back.
      is_reversal boolean NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      -- YYYY-MM-DD.
      booked_on text NOT NULL CHECK (booked_on ~ '^\\d{4}-\\d{2}-\\d{2}$'),
      -- The bank's own reference of the line, where it has one.
      bank_reference text,
      -- The same for the same line in every format: see fingerprint.ts.
      fingerprint bytea NOT NULL,
      end_to_end text,
      -- The structured reference of the creditor, where the bank has it apart from the text.
      creditor_reference text,
      text text NOT NULL,
      payer_name text,
      iban_sealed bytea,
      iban_country char(2),
      iban_last4 text,
      outcome text CHECK (outcome IN ('matched', 'returned', 'proposed', 'unmatched', 'known', 'outgoing', 'other')),
      CONSTRAINT bank_statement_lines_once UNIQUE (statement_id, number),
      CHECK ((iban_sealed IS NULL) = (iban_last4 IS NULL))
    );
    CREATE INDEX bank_statement_lines_alike ON bank_statement_lines (statement_id, fingerprint, number);
    CREATE INDEX bank_statement_lines_by_reference ON bank_statement_lines (statement_id, bank_reference)
      WHERE bank_reference IS NOT NULL;
    CREATE INDEX bank_statement_lines_by_tenant ON bank_statement_lines (tenant_id);

    GRANT SELECT, INSERT ON bank_accounts, bank_statements, bank_statement_lines TO tillway_app, tillway_system;
    GRANT UPDATE (bic, bank_name, holder, status, csv_mapping, updated_at) ON bank_accounts TO tillway_app, tillway_system;
    -- Rows are locked before they are changed.
    GRANT UPDATE (opening_minor, closing_minor, closing_on, lines, credits_minor, debits_minor, reference) ON bank_statements
      TO tillway_app;
    GRANT UPDATE (booked_lines, status, booked_at) ON bank_statements TO tillway_system;
    -- What the bank wrote never changes.
    GRANT UPDATE (outcome, iban_sealed) ON bank_statement_lines TO tillway_system;
  `);
  for (const table of ['bank_accounts', 'bank_statements', 'bank_statement_lines']) await isolateByTenant(knex, table);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE bank_statement_lines, bank_statements, bank_accounts');
}
