import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant, makeAppendOnly } from '../tenant-policy';

/**
 * Double-entry ledger. A transfer debits one account and credits another by the same amount, so entries balance by
 * construction; composite foreign keys keep both sides in one tenant and one currency. Guarded accounts (customer
 * wallets) carry a balance that may not go below zero and are the only rows ever locked; all others are append-only
 * and their balance is a sum.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE ledger_accounts (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      tenant_id text NOT NULL REFERENCES tenants,
      currency char(3) NOT NULL,
      kind text NOT NULL CHECK (kind IN ('customer_wallet', 'merchant_payable', 'tenant', 'fee_income',
        'provider_receivable', 'provider_fee', 'bank_clearing', 'suspense')),
      owner text NOT NULL,
      guarded boolean NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      UNIQUE (tenant_id, currency, kind, owner),
      UNIQUE (id, tenant_id, currency, guarded),
      CHECK (guarded = (kind = 'customer_wallet'))
    );
    CREATE TABLE ledger_transfers (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      tenant_id text NOT NULL,
      currency char(3) NOT NULL,
      debit_account_id bigint NOT NULL,
      debit_guarded boolean NOT NULL,
      credit_account_id bigint NOT NULL,
      credit_guarded boolean NOT NULL,
      amount_minor bigint NOT NULL CHECK (amount_minor > 0),
      phase text NOT NULL CHECK (phase IN ('posted', 'pending', 'post', 'void')),
      pending_id bigint REFERENCES ledger_transfers,
      cause text NOT NULL,
      booked_at timestamptz(3) NOT NULL DEFAULT now(),
      CHECK (debit_account_id <> credit_account_id),
      CHECK ((pending_id IS NOT NULL) = (phase IN ('post', 'void'))),
      CONSTRAINT ledger_transfers_cause_once UNIQUE (tenant_id, cause),
      FOREIGN KEY (debit_account_id, tenant_id, currency, debit_guarded)
        REFERENCES ledger_accounts (id, tenant_id, currency, guarded),
      FOREIGN KEY (credit_account_id, tenant_id, currency, credit_guarded)
        REFERENCES ledger_accounts (id, tenant_id, currency, guarded)
    );
    CREATE UNIQUE INDEX ledger_transfers_resolved_once ON ledger_transfers (pending_id) WHERE pending_id IS NOT NULL;
    CREATE INDEX ledger_transfers_by_debit ON ledger_transfers (debit_account_id, id);
    CREATE INDEX ledger_transfers_by_credit ON ledger_transfers (credit_account_id, id);

    CREATE TABLE ledger_balances (
      account_id bigint PRIMARY KEY REFERENCES ledger_accounts,
      tenant_id text NOT NULL,
      posted_minor bigint NOT NULL DEFAULT 0,
      held_minor bigint NOT NULL DEFAULT 0 CHECK (held_minor >= 0),
      CONSTRAINT ledger_balances_covered CHECK (posted_minor - held_minor >= 0)
    );
  `);
  await installFunctions(knex, {
    ledger_open_balance: 1,
    ledger_check_resolution: 1,
    ledger_move_balances: 1,
    ledger_lock_accounts: 1,
    ledger_book: 1,
  });
  await knex.raw(`
    CREATE TRIGGER ledger_accounts_open_balance AFTER INSERT ON ledger_accounts
      FOR EACH ROW WHEN (NEW.guarded) EXECUTE FUNCTION ledger_open_balance();
    CREATE TRIGGER ledger_transfers_check_resolution BEFORE INSERT ON ledger_transfers
      FOR EACH ROW WHEN (NEW.phase IN ('post', 'void')) EXECUTE FUNCTION ledger_check_resolution();
    CREATE TRIGGER ledger_transfers_move_balances AFTER INSERT ON ledger_transfers
      FOR EACH ROW WHEN (NEW.debit_guarded OR NEW.credit_guarded) EXECUTE FUNCTION ledger_move_balances();

    -- The two entries of every booked transfer, signed: debit positive, credit negative. Pending ones move nothing yet.
    CREATE VIEW ledger_entries WITH (security_invoker = true) AS
      SELECT id AS transfer_id, tenant_id, currency, debit_account_id AS account_id, amount_minor AS signed_minor,
        cause, booked_at FROM ledger_transfers WHERE phase IN ('posted', 'post')
      UNION ALL
      SELECT id, tenant_id, currency, credit_account_id, -amount_minor, cause, booked_at
        FROM ledger_transfers WHERE phase IN ('posted', 'post');

    GRANT SELECT, INSERT ON ledger_accounts, ledger_transfers TO tillway_app, tillway_system;
    GRANT SELECT ON ledger_balances, ledger_entries TO tillway_app, tillway_system, tillway_ops;
  `);
  for (const table of ['ledger_accounts', 'ledger_transfers', 'ledger_balances']) {
    await isolateByTenant(knex, table);
    // The balance triggers run as the owner of the schema, whom forced row-level security would blind.
    await knex.raw(`CREATE POLICY ${table}_owner ON ${table} TO CURRENT_USER USING (true) WITH CHECK (true)`);
  }
  await makeAppendOnly(knex, 'ledger_transfers');
  await makeAppendOnly(knex, 'ledger_accounts');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP VIEW ledger_entries;
    DROP TABLE ledger_balances, ledger_transfers, ledger_accounts;
    DROP FUNCTION ledger_open_balance(), ledger_check_resolution(), ledger_move_balances(),
      ledger_lock_accounts(bigint[]), ledger_book;
  `);
}
