import type { Knex } from 'knex';

/**
 * What a customer is to get and what a customer owes: `customer_incoming` holds what was captured for a wallet and is
 * not settled yet, guarded as the wallet is; `customer_receivable` is what a customer owes the tenant.
 */
export async function up(knex: Knex): Promise<void> {
  await restrict(
    knex,
    "'customer_wallet', 'customer_incoming', 'customer_receivable'",
    "'customer_wallet', 'customer_incoming'",
  );
}

/** Fails once one of these accounts is in use: books are never taken back. */
export async function down(knex: Knex): Promise<void> {
  await restrict(knex, "'customer_wallet'", "'customer_wallet'");
}

async function restrict(knex: Knex, ofCustomers: string, guarded: string): Promise<void> {
  await knex.raw(`
    ALTER TABLE ledger_accounts
      DROP CONSTRAINT ledger_accounts_kind_check,
      DROP CONSTRAINT ledger_accounts_check,
      ADD CONSTRAINT ledger_accounts_kind_check CHECK (kind IN (${ofCustomers}, 'merchant_payable', 'tenant',
        'fee_income', 'provider_receivable', 'provider_fee', 'bank_clearing', 'suspense')),
      ADD CONSTRAINT ledger_accounts_check CHECK (guarded = (kind IN (${guarded})));
  `);
}
