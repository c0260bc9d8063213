import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';

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
  `);
  await installFunctions(knex, { ledger_move_balances: 2, sandbox_iban: 1 });
  await knex.raw(`
    CREATE TRIGGER ledger_transfers_move_balances BEFORE INSERT ON ledger_transfers
      FOR EACH ROW WHEN (NEW.debit_guarded OR NEW.credit_guarded) EXECUTE FUNCTION ledger_move_balances();

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
  `);
  await installFunctions(knex, { ledger_move_balances: 1 });
  await knex.raw(`
    CREATE TRIGGER ledger_transfers_move_balances AFTER INSERT ON ledger_transfers
      FOR EACH ROW WHEN (NEW.debit_guarded OR NEW.credit_guarded) EXECUTE FUNCTION ledger_move_balances();
    ALTER TABLE ledger_balances DROP COLUMN moved_at;
    ALTER TABLE ledger_transfers DROP COLUMN debit_balance_minor, DROP COLUMN credit_balance_minor;
  `);
}
