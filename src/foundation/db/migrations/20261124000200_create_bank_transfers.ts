import type { Knex } from 'knex';
import { isolateByTenant } from '../tenant-policy';

const KINDS = `'customer_wallet', 'customer_incoming', 'customer_receivable', 'merchant_reserve', 'payout_clearing',
  'merchant_payable', 'tenant', 'fee_income', 'provider_receivable', 'provider_fee', 'bank_clearing', 'suspense'`;

/**
 * Payments by transfer to a tenant's own account: what each asks for, what arrived, and what goes back. The payment itself is
 * one like every other.
 */
export async function up(knex: Knex): Promise<void> {
  await allow(knex, `${KINDS}, 'bank_account'`);
  await knex.raw(`
    CREATE TABLE bank_transfer_requests (
      payment_id text PRIMARY KEY REFERENCES payments ON DELETE CASCADE,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      account_id text NOT NULL,
      -- ISO 11649.
      reference text NOT NULL,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      received_minor bigint NOT NULL DEFAULT 0 CHECK (received_minor >= 0),
      fee_minor bigint NOT NULL CHECK (fee_minor >= 0 AND fee_minor < amount_minor),
      -- Of the payer as the seller knows it, in capital letters and without spaces.
      payer_name text,
      -- open: waits for money. paid: has all of it. closed: takes none any more.
      status text NOT NULL CHECK (status IN ('open', 'paid', 'closed')),
      expires_at timestamptz(3) NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      FOREIGN KEY (account_id, tenant_id) REFERENCES bank_accounts (id, tenant_id),
      CONSTRAINT bank_transfer_requests_reference_once UNIQUE (tenant_id, reference),
      CONSTRAINT bank_transfer_requests_paid CHECK ((status = 'paid') = (received_minor >= amount_minor))
    );
    CREATE INDEX bank_transfer_requests_by_tenant ON bank_transfer_requests (tenant_id, payment_id DESC);
    CREATE INDEX bank_transfer_requests_by_organization ON bank_transfer_requests (organization_id, payment_id DESC);
    CREATE INDEX bank_transfer_requests_by_amount ON bank_transfer_requests (account_id, amount_minor)
      WHERE status = 'open';

    -- Every movement of a tenant's account at its bank, once, however many statements tell of it.
    CREATE TABLE bank_entries (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      account_id text NOT NULL,
      -- Who told of it first.
      line_id text NOT NULL UNIQUE REFERENCES bank_statement_lines,
      direction text NOT NULL CHECK (direction IN ('credit', 'debit')),
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      booked_on text NOT NULL,
      bank_reference text,
      fingerprint bytea NOT NULL,
      -- Tells entries apart that are alike in all that the bank says.
      occurrence integer NOT NULL CHECK (occurrence > 0),
      -- A statement with balances has it, and not only an advice.
      is_on_statement boolean NOT NULL,
      -- counted: towards its payment. excess: the payment had all it asked for. late: the payment had ended.
      -- proposed: a person decides. suspended: in suspense. other: no payer's money.
      status text NOT NULL CHECK (status IN ('counted', 'excess', 'late', 'proposed', 'suspended', 'other')),
      payment_id text REFERENCES bank_transfer_requests,
      proposal text,
      -- The first of two persons.
      seconded_by text,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      FOREIGN KEY (account_id, tenant_id) REFERENCES bank_accounts (id, tenant_id),
      CONSTRAINT bank_entries_reference_once UNIQUE (account_id, bank_reference),
      CONSTRAINT bank_entries_alike UNIQUE (account_id, fingerprint, occurrence),
      CONSTRAINT bank_entries_payment CHECK ((payment_id IS NOT NULL) = (status IN ('counted', 'excess', 'late', 'proposed'))),
      CONSTRAINT bank_entries_proposal CHECK ((status <> 'proposed' OR proposal IS NOT NULL)
        AND (direction = 'credit' OR status = 'other'))
    );
    CREATE INDEX bank_entries_by_payment ON bank_entries (payment_id) WHERE payment_id IS NOT NULL;
    CREATE INDEX bank_entries_proposed ON bank_entries (tenant_id, id DESC) WHERE status = 'proposed';

    -- Transfers back to payers.
    CREATE TABLE bank_returns (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      -- Why: what its payment asked for is refunded, was more than enough, was not all of it; or it is nobody's.
      kind text NOT NULL CHECK (kind IN ('refund', 'excess', 'part', 'unmatched')),
      -- What asked for it: once.
      cause text NOT NULL,
      payment_id text REFERENCES bank_transfer_requests,
      entry_id text REFERENCES bank_entries,
      currency char(3) NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      holder text,
      iban_sealed bytea,
      iban_country char(2),
      iban_last4 text,
      -- waiting: nobody knows where to. ready: to be sent.
      status text NOT NULL CHECK (status IN ('waiting', 'ready', 'sent', 'settled', 'failed')),
      status_detail text NOT NULL,
      processor text NOT NULL,
      processor_reference text,
      sends integer NOT NULL DEFAULT 0,
      sent_at timestamptz(3),
      look_at timestamptz(3),
      review_since timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      CONSTRAINT bank_returns_cause_once UNIQUE (tenant_id, cause),
      CONSTRAINT bank_returns_account CHECK (status = 'waiting' OR (iban_sealed IS NOT NULL AND holder IS NOT NULL)),
      CONSTRAINT bank_returns_look CHECK (status NOT IN ('ready', 'sent') OR look_at IS NOT NULL)
    );
    CREATE INDEX bank_returns_due ON bank_returns (look_at) WHERE look_at IS NOT NULL;
    CREATE INDEX bank_returns_by_tenant ON bank_returns (tenant_id, id DESC);
    CREATE INDEX bank_returns_by_payment ON bank_returns (payment_id) WHERE payment_id IS NOT NULL;
    CREATE INDEX bank_returns_at_processor ON bank_returns (processor, updated_at);

    CREATE INDEX payments_at_own_bank_unsettled ON payments (id)
      WHERE processor = 'bank' AND settled_at IS NULL AND captured_minor > 0;

    GRANT SELECT, INSERT ON bank_transfer_requests TO tillway_app, tillway_system;
    GRANT SELECT ON bank_entries, bank_returns TO tillway_app;
    GRANT SELECT, INSERT ON bank_entries, bank_returns TO tillway_system;
    GRANT UPDATE (received_minor, status) ON bank_transfer_requests TO tillway_system;
    GRANT UPDATE (bank_reference, is_on_statement, status, payment_id, proposal, seconded_by) ON bank_entries
      TO tillway_system;
    GRANT UPDATE (holder, iban_sealed, iban_country, iban_last4, status, status_detail, processor_reference, sends, sent_at,
      look_at, review_since, updated_at) ON bank_returns TO tillway_system;
  `);
  for (const table of ['bank_transfer_requests', 'bank_entries', 'bank_returns']) await isolateByTenant(knex, table);
}

/** Fails once something was booked on an account at a bank: books are never taken back. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX payments_at_own_bank_unsettled;
    DROP TABLE bank_returns, bank_entries, bank_transfer_requests;
  `);
  await allow(knex, KINDS);
}

async function allow(knex: Knex, kinds: string): Promise<void> {
  await knex.raw(`
    ALTER TABLE ledger_accounts
      DROP CONSTRAINT ledger_accounts_kind_check,
      ADD CONSTRAINT ledger_accounts_kind_check CHECK (kind IN (${kinds}))`);
}
