import type { Knex } from 'knex';
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

    CREATE FUNCTION ledger_open_balance() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public AS $$
    BEGIN
      INSERT INTO ledger_balances (account_id, tenant_id) VALUES (NEW.id, NEW.tenant_id);
      RETURN NULL;
    END $$;
    CREATE TRIGGER ledger_accounts_open_balance AFTER INSERT ON ledger_accounts
      FOR EACH ROW WHEN (NEW.guarded) EXECUTE FUNCTION ledger_open_balance();

    -- A resolution (post, void) must fit the pending transfer it names; what a post leaves over is released.
    CREATE FUNCTION ledger_check_resolution() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE held ledger_transfers;
    BEGIN
      SELECT * INTO held FROM ledger_transfers WHERE id = NEW.pending_id AND tenant_id = NEW.tenant_id;
      IF held.id IS NULL OR held.phase <> 'pending' OR held.debit_account_id <> NEW.debit_account_id
        OR held.credit_account_id <> NEW.credit_account_id OR NEW.amount_minor > held.amount_minor
        OR (NEW.phase = 'void' AND NEW.amount_minor <> held.amount_minor) THEN
        RAISE EXCEPTION 'transfer % does not fit pending transfer %', NEW.cause, NEW.pending_id
          USING ERRCODE = 'integrity_constraint_violation';
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER ledger_transfers_check_resolution BEFORE INSERT ON ledger_transfers
      FOR EACH ROW WHEN (NEW.phase IN ('post', 'void')) EXECUTE FUNCTION ledger_check_resolution();

    -- Guarded accounts are liabilities: a credit raises them, a debit lowers them. Lowest account id first, so that
    -- two opposite transfers cannot wait for each other.
    CREATE FUNCTION ledger_move_balances() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public AS $$
    DECLARE held_amount bigint := 0;
    BEGIN
      IF NEW.phase IN ('post', 'void') THEN
        SELECT amount_minor INTO held_amount FROM ledger_transfers WHERE id = NEW.pending_id;
      END IF;
      PERFORM 1 FROM ledger_balances WHERE account_id IN (NEW.debit_account_id, NEW.credit_account_id)
        ORDER BY account_id FOR UPDATE;
      IF NEW.debit_guarded THEN
        UPDATE ledger_balances SET
          posted_minor = posted_minor - CASE WHEN NEW.phase IN ('posted', 'post') THEN NEW.amount_minor ELSE 0 END,
          held_minor = held_minor + CASE WHEN NEW.phase = 'pending' THEN NEW.amount_minor ELSE -held_amount END
        WHERE account_id = NEW.debit_account_id;
      END IF;
      IF NEW.credit_guarded AND NEW.phase IN ('posted', 'post') THEN
        UPDATE ledger_balances SET posted_minor = posted_minor + NEW.amount_minor
        WHERE account_id = NEW.credit_account_id;
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER ledger_transfers_move_balances AFTER INSERT ON ledger_transfers
      FOR EACH ROW WHEN (NEW.debit_guarded OR NEW.credit_guarded) EXECUTE FUNCTION ledger_move_balances();

    -- Locks guarded accounts in one order before a movement of several transfers.
    CREATE FUNCTION ledger_lock_accounts(account_ids bigint[]) RETURNS void LANGUAGE sql SECURITY DEFINER
    SET search_path = public AS $$
      SELECT 1 FROM ledger_balances WHERE account_id = ANY (account_ids) ORDER BY account_id FOR UPDATE;
    $$;

    -- Books transfers of one tenant and currency in one round trip, inside a transaction or as one of its own.
    CREATE FUNCTION ledger_book(tenant text, code text, debits bigint[], debits_guarded boolean[], credits bigint[],
      credits_guarded boolean[], amounts bigint[], phases text[], pending_causes text[], causes text[])
    RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM set_config('tillway.tenant', tenant, true);
      IF cardinality(causes) > 1 AND true = ANY (debits_guarded || credits_guarded) THEN
        PERFORM ledger_lock_accounts(debits || credits);
      END IF;
      -- Most movements are one transfer: without a set around it, it costs half.
      IF cardinality(causes) = 1 AND pending_causes[1] IS NULL THEN
        INSERT INTO ledger_transfers (tenant_id, currency, debit_account_id, debit_guarded, credit_account_id,
          credit_guarded, amount_minor, phase, cause)
        VALUES (tenant, code, debits[1], debits_guarded[1], credits[1], credits_guarded[1], amounts[1], phases[1],
          causes[1]);
        RETURN;
      END IF;
      INSERT INTO ledger_transfers (tenant_id, currency, debit_account_id, debit_guarded, credit_account_id,
        credit_guarded, amount_minor, phase, pending_id, cause)
      SELECT tenant, code, t.debit, t.debit_guarded, t.credit, t.credit_guarded, t.amount, t.phase,
        CASE WHEN t.pending_cause IS NOT NULL THEN coalesce((SELECT id FROM ledger_transfers p
          WHERE p.tenant_id = tenant AND p.cause = t.pending_cause), -1) END, t.cause
      FROM unnest(debits, debits_guarded, credits, credits_guarded, amounts, phases, pending_causes, causes)
        AS t(debit, debit_guarded, credit, credit_guarded, amount, phase, pending_cause, cause);
    END $$;
    GRANT EXECUTE ON FUNCTION ledger_book TO tillway_app, tillway_system;

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
