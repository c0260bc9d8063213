import type { Knex } from 'knex';

export type AccountKind =
  | 'customer_wallet'
  | 'merchant_payable'
  | 'tenant'
  | 'fee_income'
  | 'provider_receivable'
  | 'provider_fee'
  | 'bank_clearing'
  | 'suspense';

/** An account of a tenant in a currency; created when first booked. `owner` is the customer, organization or processor. */
export interface AccountRef {
  kind: AccountKind;
  owner: string;
}

interface Movement {
  debit: AccountRef;
  credit: AccountRef;
  amountMinor: bigint;
  /** Why this was booked, unique per tenant: the same cause is never booked twice. */
  cause: string;
}

/**
 * A transfer to book. `posted` moves money at once; `pending` holds it; `post` and `void` end the hold named by its
 * cause. A post may be smaller than its hold: the rest is released.
 */
export type Transfer =
  | (Movement & { phase: 'posted' | 'pending' })
  | (Movement & { phase: 'post' | 'void'; pendingCause: string });

interface Account {
  id: bigint;
  guarded: boolean;
}

/** The only writer of ledger entries. Account ids never change, so they are remembered once committed. */
export class Ledger {
  private readonly accounts = new Map<string, Account>();
  /** Transactions that created an account themselves: what they see may yet be rolled back. */
  private readonly creators = new WeakSet<Knex.Transaction>();

  /**
   * Books transfers of one tenant and currency, all or none, inside the caller's transaction. Throws the database's
   * error when a cause was booked before (`ledger_transfers_cause_once`), a hold was ended before
   * (`ledger_transfers_resolved_once`) or a wallet would fall below zero (`ledger_balances_covered`).
   */
  async book(trx: Knex.Transaction, tenantId: string, currency: string, transfers: readonly Transfer[]): Promise<void> {
    if (transfers.length === 0) return;
    const debits: Account[] = [];
    const credits: Account[] = [];
    for (const transfer of transfers) {
      debits.push(await this.account(trx, tenantId, currency, transfer.debit));
      credits.push(await this.account(trx, tenantId, currency, transfer.credit));
    }
    const guarded = [...debits, ...credits].filter((account) => account.guarded).map((account) => account.id);
    if (guarded.length > 1) await trx.raw('SELECT ledger_lock_accounts(?::bigint[])', [guarded.map(String)]);
    await trx.raw(
      `INSERT INTO ledger_transfers
        (tenant_id, currency, debit_account_id, debit_guarded, credit_account_id, credit_guarded, amount_minor, phase,
         pending_id, cause)
       SELECT :tenantId, :currency, t.debit, t.debit_guarded, t.credit, t.credit_guarded, t.amount, t.phase,
         CASE WHEN t.pending_cause IS NOT NULL THEN coalesce(
           (SELECT id FROM ledger_transfers p WHERE p.tenant_id = :tenantId AND p.cause = t.pending_cause), -1) END,
         t.cause
       FROM unnest(:debits::bigint[], :debitGuarded::boolean[], :credits::bigint[], :creditGuarded::boolean[],
         :amounts::bigint[], :phases::text[], :pendingCauses::text[], :causes::text[])
         AS t(debit, debit_guarded, credit, credit_guarded, amount, phase, pending_cause, cause)`,
      {
        tenantId,
        currency,
        debits: debits.map((account) => String(account.id)),
        debitGuarded: debits.map((account) => account.guarded),
        credits: credits.map((account) => String(account.id)),
        creditGuarded: credits.map((account) => account.guarded),
        amounts: transfers.map((transfer) => String(transfer.amountMinor)),
        phases: transfers.map((transfer) => transfer.phase),
        pendingCauses: transfers.map((transfer) => ('pendingCause' in transfer ? transfer.pendingCause : null)),
        causes: transfers.map((transfer) => transfer.cause),
      },
    );
  }

  private async account(trx: Knex.Transaction, tenantId: string, currency: string, ref: AccountRef): Promise<Account> {
    const key = `${tenantId}|${currency}|${ref.kind}|${ref.owner}`;
    const known = this.accounts.get(key);
    if (known) return known;
    const where = { tenant_id: tenantId, currency, kind: ref.kind, owner: ref.owner };
    let row: Account | undefined = await trx('ledger_accounts').where(where).first('id', 'guarded');
    if (!row) {
      this.creators.add(trx);
      await trx('ledger_accounts')
        .insert({ ...where, guarded: ref.kind === 'customer_wallet' })
        .onConflict(['tenant_id', 'currency', 'kind', 'owner'])
        .ignore();
      row = await trx('ledger_accounts').where(where).first('id', 'guarded');
    }
    const account = { id: row!.id, guarded: row!.guarded };
    if (!this.creators.has(trx)) this.accounts.set(key, account);
    return account;
  }
}
