import type { Knex } from 'knex';

/**
 * Gives the wallet of a customer, in euros, so many more entries of one minor unit each, in and out by turns, one each
 * millisecond after its last one: written past the triggers, as if each had been booked. The tenant must have an account
 * that is not guarded, for the other side.
 */
export async function generateEntries(
  owner: Knex,
  { tenantId, customerId, count }: { tenantId: string; customerId: string; count: number },
): Promise<void> {
  await owner.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(
      `INSERT INTO ledger_transfers (tenant_id, currency, debit_account_id, debit_guarded, credit_account_id,
          credit_guarded, amount_minor, phase, cause, booked_at, debit_balance_minor, credit_balance_minor)
        SELECT :tenant, 'EUR', CASE WHEN n % 2 = 0 THEN own.id ELSE other.id END, n % 2 = 0,
          CASE WHEN n % 2 = 0 THEN other.id ELSE own.id END, n % 2 = 1, 1, 'posted', 'trf_' || own.id || '_' || n || '/x',
          own.moved_at + n * interval '1 millisecond',
          CASE WHEN n % 2 = 0 THEN own.posted_minor + n % 2 END, CASE WHEN n % 2 = 1 THEN own.posted_minor + n % 2 END
        FROM (SELECT a.id, b.posted_minor, b.moved_at FROM ledger_accounts a JOIN ledger_balances b ON b.account_id = a.id
            WHERE a.tenant_id = :tenant AND a.owner = :customer AND a.kind = 'customer_wallet' AND a.currency = 'EUR') own,
          (SELECT id FROM ledger_accounts WHERE tenant_id = :tenant AND currency = 'EUR' AND NOT guarded LIMIT 1) other,
          generate_series(1, :count::bigint) n`,
      { tenant: tenantId, customer: customerId, count },
    );
    await trx.raw(
      `UPDATE ledger_balances b SET posted_minor = posted_minor + :odd, moved_at = moved_at + :count * interval '1 millisecond'
        FROM ledger_accounts a WHERE a.id = b.account_id AND a.tenant_id = :tenant AND a.owner = :customer
          AND a.kind = 'customer_wallet' AND a.currency = 'EUR'`,
      { tenant: tenantId, customer: customerId, count, odd: count % 2 },
    );
  });
}
