import type { Knex } from 'knex';
import { installFunctions } from '../install-functions';
import { isolateByTenant } from '../tenant-policy';

/**
 * Balances that do not take longer the more there is. Guarded accounts have theirs already. What hot accounts come to is
 * summed up by workers, some seconds behind; a balance is its sum and the entries after it. Nothing is added to a booking.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- How far the sums go, and the number that they go to next, once these transactions have ended.
    CREATE TABLE ledger_summed (
      single boolean PRIMARY KEY DEFAULT true CHECK (single),
      through_id bigint NOT NULL DEFAULT 0,
      next_id bigint NOT NULL DEFAULT 0,
      waits_for text[] NOT NULL DEFAULT '{}',
      CHECK (next_id >= through_id)
    );
    INSERT INTO ledger_summed DEFAULT VALUES;
    CREATE TABLE ledger_sums (
      account_id bigint PRIMARY KEY REFERENCES ledger_accounts,
      tenant_id text NOT NULL,
      debit_minor bigint NOT NULL,
      credit_minor bigint NOT NULL
    ) WITH (fillfactor = 50);
    CREATE TABLE ledger_totals (
      tenant_id text NOT NULL REFERENCES tenants,
      currency char(3) NOT NULL,
      debit_minor bigint NOT NULL,
      credit_minor bigint NOT NULL,
      PRIMARY KEY (tenant_id, currency)
    ) WITH (fillfactor = 50);
    GRANT SELECT ON ledger_summed TO tillway_app, tillway_system, tillway_ops;
    GRANT SELECT ON ledger_sums, ledger_totals TO tillway_app, tillway_system;
  `);
  for (const table of ['ledger_sums', 'ledger_totals']) {
    await isolateByTenant(knex, table);
    // ledger_sum_up runs as the owner of the schema, whom forced row-level security would blind.
    await knex.raw(`CREATE POLICY ${table}_owner ON ${table} TO CURRENT_USER USING (true) WITH CHECK (true)`);
  }
  await installFunctions(knex, { ledger_sum_up: 1, ledger_trial_balance: 1 });
  await knex.raw(`
    -- What each account has, a debit balance positive.
    CREATE VIEW ledger_account_balances WITH (security_invoker = true) AS
      SELECT a.*, CASE WHEN a.guarded THEN -(SELECT b.posted_minor FROM ledger_balances b WHERE b.account_id = a.id)
        ELSE coalesce((SELECT s.debit_minor - s.credit_minor FROM ledger_sums s WHERE s.account_id = a.id), 0)
          + coalesce((SELECT sum(e.signed_minor) FROM ledger_entries e WHERE e.account_id = a.id
            AND e.transfer_id > (SELECT through_id FROM ledger_summed)), 0) END AS signed_minor
      FROM ledger_accounts a;
    GRANT SELECT ON ledger_account_balances TO tillway_app, tillway_system, tillway_ops;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP VIEW ledger_account_balances;
    DROP FUNCTION ledger_trial_balance();
    DROP FUNCTION ledger_sum_up(bigint);
    DROP TABLE ledger_totals, ledger_sums, ledger_summed;
  `);
}
