import type { Knex } from 'knex';

/** What a customer has in one currency, in minor units. */
export interface CustomerBalance {
  currency: string;
  /** The IBAN of the wallet at the sandbox bank. Absent until money was available in the wallet. */
  iban?: string;
  /** May be spent now. */
  availableMinor: bigint;
  /** On its way out of the wallet, or captured for it and not settled yet. */
  heldMinor: bigint;
  /** What the customer owes the tenant. */
  owedMinor: bigint;
}

/** A customer's wallets, one per currency that anything was ever booked in, by currency. */
export async function balancesOf(trx: Knex.Transaction, customerId: string): Promise<CustomerBalance[]> {
  const { rows } = await trx.raw(
    `SELECT a.currency,
        max(a.iban) AS iban,
        sum(CASE WHEN a.kind = 'customer_wallet' THEN b.posted_minor - b.held_minor ELSE 0 END)::bigint AS available,
        sum(CASE a.kind WHEN 'customer_wallet' THEN b.held_minor WHEN 'customer_incoming' THEN b.posted_minor ELSE 0
          END)::bigint AS held,
        sum(CASE WHEN a.kind = 'customer_receivable' THEN
          (SELECT coalesce(sum(e.signed_minor), 0) FROM ledger_entries e WHERE e.account_id = a.id) ELSE 0
          END)::bigint AS owed
      FROM ledger_accounts a LEFT JOIN ledger_balances b ON b.account_id = a.id
      WHERE a.owner = ? AND a.kind IN ('customer_wallet', 'customer_incoming', 'customer_receivable')
      GROUP BY a.currency ORDER BY a.currency`,
    [customerId],
  );
  return rows.map((row: { currency: string; iban: string | null; available: bigint; held: bigint; owed: bigint }) => ({
    currency: row.currency,
    ...(row.iban !== null && { iban: row.iban }),
    availableMinor: row.available,
    heldMinor: row.held,
    owedMinor: row.owed,
  }));
}
