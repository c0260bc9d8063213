import type { Knex } from 'knex';

/**
 * Statements of wallets. Each entry of a guarded account keeps the balance it left behind, and gets its number and time
 * under the account's lock: entries of an account become visible in the order of their numbers, so that a page once read
 * never changes, and the balance at any time is one row away. Each wallet gets an IBAN of the sandbox bank.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE ledger_transfers ADD COLUMN debit_balance_minor bigint, ADD COLUMN credit_balance_minor bigint;
    ALTER TABLE ledger_balances ADD COLUMN moved_at timestamptz(3) NOT NULL DEFAULT '-infinity';
    CREATE INDEX ledger_transfers_wallet_debits ON ledger_transfers (debit_account_id, booked_at, id)
      WHERE debit_guarded AND phase IN ('posted', 'post');
    CREATE INDEX ledger_transfers_wallet_credits ON ledger_transfers (credit_account_id, booked_at, id)
      WHERE credit_guarded AND phase IN ('posted', 'post');

    DROP TRIGGER ledger_transfers_move_balances ON ledger_transfers;
    -- Guarded accounts are liabilities: a credit raises them, a debit lowers them. Lowest account id first, so that
    -- two opposite transfers cannot wait for each other. Time never goes back, even where the clock does.
    CREATE OR REPLACE FUNCTION ledger_move_balances() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public AS $$
    DECLARE
      held_amount bigint := 0;
      latest timestamptz;
    BEGIN
      IF NEW.phase IN ('post', 'void') THEN
        SELECT amount_minor INTO held_amount FROM ledger_transfers WHERE id = NEW.pending_id;
      END IF;
      SELECT max(locked.moved_at) INTO latest FROM (SELECT moved_at FROM ledger_balances
        WHERE account_id IN (NEW.debit_account_id, NEW.credit_account_id) ORDER BY account_id FOR UPDATE) locked;
      -- Booked or ended before: the unique index says so, whatever is left in the account now.
      IF EXISTS (SELECT 1 FROM ledger_transfers WHERE tenant_id = NEW.tenant_id AND cause = NEW.cause)
        OR EXISTS (SELECT 1 FROM ledger_transfers WHERE pending_id = NEW.pending_id) THEN
        RETURN NEW;
      END IF;
      NEW.id := nextval('ledger_transfers_id_seq');
      NEW.booked_at := greatest(date_trunc('milliseconds', clock_timestamp()), latest);
      IF NEW.debit_guarded THEN
        UPDATE ledger_balances SET moved_at = NEW.booked_at,
          posted_minor = posted_minor - CASE WHEN NEW.phase IN ('posted', 'post') THEN NEW.amount_minor ELSE 0 END,
          held_minor = held_minor + CASE WHEN NEW.phase = 'pending' THEN NEW.amount_minor ELSE -held_amount END
        WHERE account_id = NEW.debit_account_id RETURNING posted_minor INTO NEW.debit_balance_minor;
      END IF;
      IF NEW.credit_guarded THEN
        UPDATE ledger_balances SET moved_at = NEW.booked_at,
          posted_minor = posted_minor + CASE WHEN NEW.phase IN ('posted', 'post') THEN NEW.amount_minor ELSE 0 END
        WHERE account_id = NEW.credit_account_id RETURNING posted_minor INTO NEW.credit_balance_minor;
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER ledger_transfers_move_balances BEFORE INSERT ON ledger_transfers
      FOR EACH ROW WHEN (NEW.debit_guarded OR NEW.credit_guarded) EXECUTE FUNCTION ledger_move_balances();

    -- ISO 13616, as the United Kingdom lays it out: a bank that does not exist, and the number of the account.
    CREATE FUNCTION sandbox_iban(account bigint) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
      SELECT 'GB' || lpad((98 - ('29213234' || lpad(account::text, 14, '0') || '161100')::numeric % 97)::text, 2, '0')
        || 'TLWY' || lpad(account::text, 14, '0')
    $$;
    ALTER TABLE ledger_accounts ADD COLUMN iban text
      GENERATED ALWAYS AS (CASE WHEN kind = 'customer_wallet' THEN sandbox_iban(id) END) STORED;
    CREATE UNIQUE INDEX ledger_accounts_by_iban ON ledger_accounts (iban) WHERE iban IS NOT NULL;
    CREATE INDEX ledger_accounts_by_owner ON ledger_accounts (owner, kind);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP INDEX ledger_accounts_by_owner, ledger_accounts_by_iban, ledger_transfers_wallet_credits,
      ledger_transfers_wallet_debits;
    ALTER TABLE ledger_accounts DROP COLUMN iban;
    DROP FUNCTION sandbox_iban(bigint);
    DROP TRIGGER ledger_transfers_move_balances ON ledger_transfers;
    CREATE OR REPLACE FUNCTION ledger_move_balances() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
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
    ALTER TABLE ledger_balances DROP COLUMN moved_at;
    ALTER TABLE ledger_transfers DROP COLUMN debit_balance_minor, DROP COLUMN credit_balance_minor;
  `);
}
