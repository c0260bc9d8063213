import type { Knex } from 'knex';

const OF_PEOPLE = `'customer_wallet', 'customer_incoming', 'customer_receivable', 'merchant_reserve', 'payout_clearing'`;

/**
 * A payment link may be for the wallet of a customer. The top-up names the seller, who gets what the wallet holds and keeps
 * it for the wallet: the account `seller_float` says how much.
 */
export async function up(knex: Knex): Promise<void> {
  await restrict(knex, `${OF_PEOPLE}, 'seller_float'`);
  await knex.raw(`
    ALTER TABLE payment_links
      ADD COLUMN purpose text NOT NULL DEFAULT 'payment' CHECK (purpose IN ('payment', 'topup')),
      ADD COLUMN customer_id text,
      ADD CONSTRAINT payment_links_wallet FOREIGN KEY (customer_id, tenant_id) REFERENCES customers (id, tenant_id),
      ADD CONSTRAINT payment_links_wallet_named CHECK ((purpose = 'topup') = (customer_id IS NOT NULL)),
      ADD CONSTRAINT payment_links_topup_amount CHECK (purpose = 'payment' OR amount_min_minor IS NOT NULL);

    ALTER TABLE topups
      -- The organization that has sold it by a link.
      ADD COLUMN seller_id text,
      ADD CONSTRAINT topups_seller FOREIGN KEY (seller_id, tenant_id) REFERENCES organizations (id, tenant_id);
    CREATE INDEX topups_by_seller ON topups (seller_id, id DESC) WHERE seller_id IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE topups DROP COLUMN seller_id;
    ALTER TABLE payment_links DROP COLUMN purpose, DROP COLUMN customer_id;
  `);
  await restrict(knex, OF_PEOPLE);
}

async function restrict(knex: Knex, ofPeople: string): Promise<void> {
  await knex.raw(`
    ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_accounts_kind_check,
      ADD CONSTRAINT ledger_accounts_kind_check CHECK (kind IN (${ofPeople}, 'merchant_payable', 'tenant',
        'fee_income', 'provider_receivable', 'provider_fee', 'bank_clearing', 'bank_account', 'suspense'));
  `);
}
