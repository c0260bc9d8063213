import type { Knex } from 'knex';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

const OF_CUSTOMERS = "'customer_wallet', 'customer_incoming', 'customer_receivable'";
const GUARDED_BEFORE = "'customer_wallet', 'customer_incoming'";
const OF_MERCHANTS = "'merchant_reserve', 'payout_clearing'";

/**
 * Payouts from a tenant to its sellers: where they go, on what terms, what each settles. Every entry of what the tenant
 * owes a seller stands in the statement of one payout at most; the numbers of a seller's payouts follow each other, so that
 * two of them cannot settle the same money.
 */
export async function up(knex: Knex): Promise<void> {
  await restrict(knex, `${OF_CUSTOMERS}, ${OF_MERCHANTS}`, `${GUARDED_BEFORE}, ${OF_MERCHANTS}`);
  await knex.raw(`
    CREATE TABLE payout_accounts (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      iban_sealed bytea NOT NULL,
      iban_country char(2) NOT NULL,
      iban_last4 char(4) NOT NULL,
      holder text NOT NULL,
      bic text,
      status text NOT NULL CHECK (status IN ('unverified', 'verified', 'blocked')),
      -- From then on payouts go there, if it is verified by then.
      effective_from timestamptz(3) NOT NULL,
      verified_at timestamptz(3),
      -- When the contact was told that it is in effect.
      told_at timestamptz(3),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      CHECK (status <> 'verified' OR verified_at IS NOT NULL)
    );
    CREATE INDEX payout_accounts_by_organization ON payout_accounts (organization_id, effective_from DESC);
    CREATE INDEX payout_accounts_to_tell ON payout_accounts (effective_from)
      WHERE status = 'verified' AND told_at IS NULL;

    CREATE TABLE payout_terms (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      -- NULL: every organization of the tenant that has no terms of its own.
      organization_id text,
      currency char(3) NOT NULL,
      schedule text NOT NULL CHECK (schedule IN ('daily', 'weekly', 'monthly', 'on_demand')),
      -- 1 is Monday.
      weekday smallint CHECK (weekday BETWEEN 1 AND 7),
      day_of_month smallint CHECK (day_of_month BETWEEN 1 AND 28),
      minimum_minor bigint NOT NULL CHECK (minimum_minor >= 0),
      reserve_basis_points integer NOT NULL CHECK (reserve_basis_points BETWEEN 0 AND 10000),
      reserve_days integer NOT NULL CHECK (reserve_days BETWEEN 0 AND 730),
      effective_from timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      CONSTRAINT payout_terms_day CHECK ((weekday IS NOT NULL) = (schedule = 'weekly')
        AND (day_of_month IS NOT NULL) = (schedule = 'monthly')),
      CONSTRAINT payout_terms_reserve CHECK (reserve_basis_points = 0 OR reserve_days > 0)
    );
    CREATE INDEX payout_terms_in_effect ON payout_terms (tenant_id, currency, effective_from DESC, id DESC);

    -- Where the payouts of an organization in a currency stand. Locked by whoever makes the next one.
    CREATE TABLE payout_positions (
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      currency char(3) NOT NULL,
      last_number integer NOT NULL DEFAULT 0,
      -- The closing balance of the last statement.
      closing_minor bigint NOT NULL DEFAULT 0,
      -- When the schedule is due next; NULL: on demand only.
      next_run_at timestamptz(3),
      -- Somebody had the schedule run before its time.
      run_ordered_at timestamptz(3),
      PRIMARY KEY (organization_id, currency),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id)
    );
    CREATE INDEX payout_positions_due ON payout_positions (least(next_run_at, run_ordered_at))
      WHERE next_run_at IS NOT NULL OR run_ordered_at IS NOT NULL;

    CREATE TABLE payouts (
      id text PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      currency char(3) NOT NULL,
      number integer NOT NULL CHECK (number > 0),
      origin text NOT NULL CHECK (origin IN ('on_demand', 'schedule')),
      status text NOT NULL CHECK (status IN ('scheduled', 'sent', 'settled', 'returned', 'failed', 'cancelled')),
      status_detail text NOT NULL,
      -- The statement: signed, what lowers the balance is negative.
      opening_minor bigint NOT NULL,
      gross_minor bigint NOT NULL,
      fees_minor bigint NOT NULL,
      refunds_minor bigint NOT NULL,
      disputes_minor bigint NOT NULL,
      returned_minor bigint NOT NULL,
      other_minor bigint NOT NULL,
      reserve_held_minor bigint NOT NULL CHECK (reserve_held_minor >= 0),
      reserve_released_minor bigint NOT NULL CHECK (reserve_released_minor >= 0),
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      closing_minor bigint NOT NULL,
      -- Of the closing balance: what processors have yet to settle, and what refunds under way hold.
      unsettled_minor bigint NOT NULL CHECK (unsettled_minor >= 0),
      refunding_minor bigint NOT NULL CHECK (refunding_minor >= 0),
      period_from timestamptz(3),
      period_to timestamptz(3) NOT NULL,
      reserve_until timestamptz(3),
      -- The payout whose statement has the reserve of this one back.
      reserve_released_by text REFERENCES payouts DEFERRABLE INITIALLY DEFERRED,
      -- Chosen when it is sent.
      account_id text REFERENCES payout_accounts,
      processor text NOT NULL,
      processor_reference text,
      send_at timestamptz(3) NOT NULL,
      sends integer NOT NULL DEFAULT 0,
      sent_at timestamptz(3),
      review_since timestamptz(3),
      -- When the flow is to look at it, at the latest. Null: it has ended.
      look_at timestamptz(3),
      created_by text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      CONSTRAINT payouts_number_once UNIQUE (organization_id, currency, number),
      CONSTRAINT payouts_statement_adds_up CHECK (opening_minor + gross_minor + fees_minor + refunds_minor
        + disputes_minor + returned_minor + other_minor - reserve_held_minor + reserve_released_minor - amount_minor
        = closing_minor),
      CONSTRAINT payouts_only_what_is_available CHECK (closing_minor >= unsettled_minor + refunding_minor),
      CONSTRAINT payouts_sent CHECK (status IN ('scheduled', 'cancelled', 'failed')
        OR (account_id IS NOT NULL AND sends > 0 AND sent_at IS NOT NULL)),
      CONSTRAINT payouts_reserve CHECK ((reserve_until IS NOT NULL) = (reserve_held_minor > 0)),
      CONSTRAINT payouts_look CHECK ((look_at IS NOT NULL) = (status IN ('scheduled', 'sent')))
    );
    CREATE INDEX payouts_by_tenant ON payouts (tenant_id, id DESC);
    CREATE INDEX payouts_by_organization ON payouts (organization_id, id DESC);
    CREATE INDEX payouts_due ON payouts (look_at) WHERE look_at IS NOT NULL;
    CREATE INDEX payouts_for_review ON payouts (review_since) WHERE review_since IS NOT NULL;
    CREATE INDEX payouts_at_processor ON payouts (processor, updated_at);
    CREATE INDEX payouts_in_reserve ON payouts (organization_id, currency, reserve_until)
      WHERE reserve_until IS NOT NULL AND reserve_released_by IS NULL;

    -- Which entries a statement is made of: each entry is in one statement.
    CREATE TABLE payout_entries (
      transfer_id bigint PRIMARY KEY REFERENCES ledger_transfers,
      tenant_id text NOT NULL,
      payout_id text NOT NULL REFERENCES payouts DEFERRABLE INITIALLY DEFERRED
    );
    CREATE INDEX payout_entries_by_payout ON payout_entries (payout_id, transfer_id);

    -- What became of each date of a schedule: each is run once.
    CREATE TABLE payout_runs (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      tenant_id text NOT NULL,
      organization_id text NOT NULL,
      currency char(3) NOT NULL,
      due_at timestamptz(3) NOT NULL,
      outcome text NOT NULL CHECK (outcome IN ('paid_out', 'carried')),
      detail text NOT NULL,
      available_minor bigint NOT NULL,
      payout_id text REFERENCES payouts,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      FOREIGN KEY (organization_id, tenant_id) REFERENCES organizations (id, tenant_id),
      CONSTRAINT payout_runs_once UNIQUE (organization_id, currency, due_at),
      CHECK ((payout_id IS NOT NULL) = (outcome = 'paid_out'))
    );

    CREATE INDEX ledger_accounts_payable ON ledger_accounts (id) WHERE kind = 'merchant_payable';
    CREATE INDEX payments_unsettled_by_organization ON payments (organization_id, currency)
      WHERE settled_at IS NULL AND captured_minor > 0;
    CREATE INDEX refunds_pending_by_organization ON refunds (organization_id, currency) WHERE status = 'pending';

    GRANT SELECT, INSERT ON payout_accounts, payout_terms, payout_positions, payouts, payout_entries, payout_runs
      TO tillway_app, tillway_system;
    -- What a payout settles, and where an account leads, never change.
    GRANT UPDATE (status, effective_from, verified_at, told_at) ON payout_accounts TO tillway_app;
    GRANT UPDATE (status, effective_from, verified_at, told_at, iban_sealed) ON payout_accounts TO tillway_system;
    GRANT UPDATE (last_number, closing_minor, next_run_at, run_ordered_at) ON payout_positions
      TO tillway_app, tillway_system;
    GRANT UPDATE (status, status_detail, reserve_released_by, account_id, processor_reference, sends, sent_at,
      review_since, look_at, updated_at) ON payouts TO tillway_app, tillway_system;
  `);
  for (const table of [
    'payout_accounts',
    'payout_terms',
    'payout_positions',
    'payouts',
    'payout_entries',
    'payout_runs',
  ])
    await isolateByTenant(knex, table);
  for (const table of ['payout_terms', 'payout_entries', 'payout_runs']) await makeAppendOnly(knex, table);
}

/** Fails once something was booked for a payout: books are never taken back. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX refunds_pending_by_organization, payments_unsettled_by_organization, ledger_accounts_payable;
    DROP TABLE payout_runs, payout_entries, payouts, payout_positions, payout_terms, payout_accounts;
  `);
  await restrict(knex, OF_CUSTOMERS, GUARDED_BEFORE);
}

async function restrict(knex: Knex, ofPeople: string, guarded: string): Promise<void> {
  await knex.raw(`
    ALTER TABLE ledger_accounts
      DROP CONSTRAINT ledger_accounts_kind_check,
      DROP CONSTRAINT ledger_accounts_check,
      ADD CONSTRAINT ledger_accounts_kind_check CHECK (kind IN (${ofPeople}, 'merchant_payable', 'tenant',
        'fee_income', 'provider_receivable', 'provider_fee', 'bank_clearing', 'suspense')),
      ADD CONSTRAINT ledger_accounts_check CHECK (guarded = (kind IN (${guarded})));
  `);
}
