import type { Knex } from 'knex';
import type { Database } from '../../foundation/db/database';
import {
  accountsOfWallet,
  balanceAt,
  type EntryType,
  entriesOf,
  holdBookings,
  type Position,
  type WalletEntry,
} from './wallet-entries';

/** Which part of a wallet's entries is asked for: booked at `from` or later and before `to`. */
export interface Window {
  customerId: string;
  currency: string;
  from?: Date;
  to?: Date;
  type?: EntryType;
  direction?: 'credit' | 'debit';
  /** The page goes on after this entry. */
  after?: Position;
  /** Absent: all there are. */
  limit?: number;
}

/** Entries read at a time: what a statement of any length keeps in memory. */
const BATCH = 1_000;

/**
 * The statement of one wallet: what is available and what is still to be settled together, so that it begins and ends
 * with what balances call `available` plus `held`. What is booked after it was opened is not in it.
 */
export class Statement {
  private constructor(
    private readonly read: <T>(work: (trx: Knex.Transaction) => Promise<T>) => Promise<T>,
    private readonly accounts: string[],
    private readonly window: Window,
    /** Balance where the window, or its page, begins. */
    readonly openingMinor: bigint,
    /** Balance where the window ends. */
    readonly closingMinor: bigint,
    /** The last entry there was when it was opened. */
    private readonly lastId: bigint,
  ) {}

  /** Waits for bookings on the wallet that are under way, so that none of them can appear among what was read. */
  static async open(database: Database, tenantId: string, window: Window): Promise<Statement> {
    const read = <T>(work: (trx: Knex.Transaction) => Promise<T>) => database.tenant(tenantId, work);
    return read(async (trx) => {
      const accounts = await accountsOfWallet(trx, window);
      await holdBookings(trx, accounts);
      const { lastId } = await balanceAt(trx, accounts);
      const begin = beginningOf(window);
      const opening = begin ? (await balanceAt(trx, accounts, begin)).balance : 0n;
      const { balance: closing } = await balanceAt(trx, accounts, window.to && { at: window.to, id: 0n });
      return new Statement(read, accounts, window, opening, closing, lastId);
    });
  }

  /** The balance right after an entry. */
  async balanceAfter({ at, id }: Position): Promise<bigint> {
    return (await this.read((trx) => balanceAt(trx, this.accounts, { at, id: id + 1n }))).balance;
  }

  /** The entries asked for, oldest first, read batch by batch: memory and locks stay the same however many there are. */
  async *entries(): AsyncGenerator<WalletEntry> {
    const { type, direction, to } = this.window;
    let from = beginningOf(this.window);
    let left = this.window.limit ?? Number.POSITIVE_INFINITY;
    const slice = { accounts: this.accounts, until: to && { at: to, id: 0n }, type, direction, lastId: this.lastId };
    while (left > 0) {
      const size = Math.min(BATCH, left);
      const batch = await this.read((trx) => entriesOf(trx, { ...slice, from, limit: size }));
      yield* batch;
      const last = batch.at(-1);
      if (!last || batch.length < size) return;
      from = { at: last.at, id: last.id + 1n };
      left -= batch.length;
    }
  }
}

/** The first position that belongs to the window, or to its page; undefined: the very first. */
function beginningOf({ from, after }: Window): Position | undefined {
  if (after) return { at: after.at, id: after.id + 1n };
  return from && { at: from, id: 0n };
}
