import type { Knex } from 'knex';
import type { Database } from '../../foundation/db/database';
import { sendIn, statement } from '../../foundation/db/named-statements';
import type { LedgerCause } from './causes';

export type AccountKind =
  | 'customer_wallet'
  | 'customer_incoming'
  | 'customer_receivable'
  | 'merchant_payable'
  | 'seller_float'
  | 'merchant_reserve'
  | 'payout_clearing'
  | 'tenant'
  | 'fee_income'
  | 'provider_receivable'
  | 'provider_fee'
  | 'bank_clearing'
  | 'bank_account'
  | 'suspense';

/** Accounts that may not fall below zero; the database agrees. */
const GUARDED: Record<AccountKind, boolean> = {
  customer_wallet: true,
  customer_incoming: true,
  customer_receivable: false,
  merchant_payable: false,
  seller_float: false,
  merchant_reserve: true,
  payout_clearing: true,
  tenant: false,
  fee_income: false,
  provider_receivable: false,
  provider_fee: false,
  bank_clearing: false,
  bank_account: false,
  suspense: false,
};

/** An account of a tenant in a currency; created when first booked. `owner` is the customer, organization or processor. */
export interface AccountRef {
  kind: AccountKind;
  owner: string;
}

interface Sides {
  debit: AccountRef;
  credit: AccountRef;
  amountMinor: bigint;
  /** Why this was booked, unique per tenant: the same cause is never booked twice. */
  cause: LedgerCause;
}

/**
 * A transfer to book. `posted` moves money at once; `pending` holds it; `post` and `void` end the hold named by its
 * cause. A post may be smaller than its hold: the rest is released.
 */
export type Movement =
  | (Sides & { phase: 'posted' | 'pending' })
  | (Sides & { phase: 'post' | 'void'; pendingCause: LedgerCause });

interface Account {
  id: bigint;
  guarded: boolean;
}

const BOOK = statement('ledger_book', 'SELECT ledger_book($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)');

/** The only writer of ledger entries. Account ids never change, so they are remembered once committed. */
export class Ledger {
  private readonly accounts = new Map<string, Account>();
  /** Transactions that created an account themselves: what they see may yet be rolled back. */
  private readonly creators = new WeakSet<Knex.Transaction>();

  /**
   * Books movements of one tenant and currency, all or none, inside the caller's transaction. Throws the database's
   * error when a cause was booked before (`ledger_transfers_cause_once`), a hold was ended before
   * (`ledger_transfers_resolved_once`) or a wallet would fall below zero (`ledger_balances_covered`).
   */
  async book(trx: Knex.Transaction, tenantId: string, currency: string, movements: readonly Movement[]): Promise<void> {
    if (movements.length === 0) return;
    const bookings = await this.prepare(trx, tenantId, currency, movements);
    await sendIn(trx)(BOOK, [tenantId, currency, ...bookings]);
  }

  /** The same as a transaction of its own, in one round trip where all accounts are known. */
  async bookAlone(
    { named, tenant }: Pick<Database, 'named' | 'tenant'>,
    tenantId: string,
    currency: string,
    movements: readonly Movement[],
  ): Promise<void> {
    const known = this.known(tenantId, currency, movements);
    if (known) await named.app.rows(BOOK, [tenantId, currency, ...known]);
    else await tenant(tenantId, (trx) => this.book(trx, tenantId, currency, movements));
  }

  /** Transfers as the booking functions of the database take them; undefined when an account has yet to be created. */
  known(tenantId: string, currency: string, movements: readonly Movement[]): Bookings | undefined {
    const sides: [Account, Account][] = [];
    for (const { debit, credit } of movements) {
      const from = this.accounts.get(keyOf(tenantId, currency, debit));
      const to = this.accounts.get(keyOf(tenantId, currency, credit));
      if (!from || !to) return undefined;
      sides.push([from, to]);
    }
    return bookingsOf(movements, sides);
  }

  /** The same, creating accounts that do not exist yet inside the caller's transaction. */
  async prepare(
    trx: Knex.Transaction,
    tenantId: string,
    currency: string,
    movements: readonly Movement[],
  ): Promise<Bookings> {
    const sides: [Account, Account][] = [];
    for (const { debit, credit } of movements)
      sides.push([
        await this.account(trx, tenantId, currency, debit),
        await this.account(trx, tenantId, currency, credit),
      ]);
    return bookingsOf(movements, sides);
  }

  /**
   * What may still be spent of guarded accounts, in minor units, nothing where one was never booked. All of them stay
   * locked until the transaction ends: ask for those that are to be booked together in one call.
   */
  async available(
    trx: Knex.Transaction,
    tenantId: string,
    currency: string,
    refs: readonly AccountRef[],
  ): Promise<bigint[]> {
    const ids = await Promise.all(refs.map((ref) => this.find(trx, tenantId, currency, ref)));
    const known = ids.flatMap((account) => (account ? [`${account.id}`] : []));
    await trx.raw('SELECT ledger_lock_accounts(?)', [known]);
    const rows: { account_id: bigint; left: bigint }[] = await trx('ledger_balances')
      .whereIn('account_id', known)
      .select('account_id', trx.raw('posted_minor - held_minor AS left'));
    return ids.map((account) => rows.find(({ account_id }) => account_id === account?.id)?.left ?? 0n);
  }

  /** The balance of an account in minor units, a debit balance positive. */
  async balance(trx: Knex.Transaction, tenantId: string, currency: string, ref: AccountRef): Promise<bigint> {
    const account = await this.find(trx, tenantId, currency, ref);
    if (!account) return 0n;
    const { total } = await trx('ledger_account_balances')
      .where({ id: `${account.id}` })
      .first(trx.raw('signed_minor::text AS total'));
    return BigInt(total);
  }

  private async find(
    trx: Knex.Transaction,
    tenantId: string,
    currency: string,
    { kind, owner }: AccountRef,
  ): Promise<Account | undefined> {
    const known = this.accounts.get(keyOf(tenantId, currency, { kind, owner }));
    return known ?? trx('ledger_accounts').where({ tenant_id: tenantId, currency, kind, owner }).first('id', 'guarded');
  }

  private async account(trx: Knex.Transaction, tenantId: string, currency: string, ref: AccountRef): Promise<Account> {
    const key = keyOf(tenantId, currency, ref);
    const known = this.accounts.get(key);
    if (known) return known;
    const where = { tenant_id: tenantId, currency, kind: ref.kind, owner: ref.owner };
    let row = await this.find(trx, tenantId, currency, ref);
    if (!row) {
      this.creators.add(trx);
      await trx('ledger_accounts')
        .insert({ ...where, guarded: GUARDED[ref.kind] })
        .onConflict(['tenant_id', 'currency', 'kind', 'owner'])
        .ignore();
      row = await trx('ledger_accounts').where(where).first('id', 'guarded');
    }
    const account = { id: row!.id, guarded: row!.guarded };
    if (!this.creators.has(trx)) this.accounts.set(key, account);
    return account;
  }
}

function keyOf(tenantId: string, currency: string, ref: AccountRef): string {
  return `${tenantId}|${currency}|${ref.kind}|${ref.owner}`;
}

/** The arrays of `ledger_book`: debits, debits guarded, credits, credits guarded, amounts, phases, pending causes, causes. */
export type Bookings = readonly [
  string[],
  boolean[],
  string[],
  boolean[],
  string[],
  string[],
  (string | null)[],
  string[],
];

function bookingsOf(movements: readonly Movement[], sides: readonly [Account, Account][]): Bookings {
  return [
    sides.map(([debit]) => String(debit.id)),
    sides.map(([debit]) => debit.guarded),
    sides.map(([, credit]) => String(credit.id)),
    sides.map(([, credit]) => credit.guarded),
    movements.map((transfer) => String(transfer.amountMinor)),
    movements.map((transfer) => transfer.phase),
    movements.map((transfer) => ('pendingCause' in transfer ? transfer.pendingCause : null)),
    movements.map((transfer) => transfer.cause),
  ];
}
