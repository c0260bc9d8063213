import type { Knex } from 'knex';
import { refuse } from '../../domain/errors';
import {
  accountsOfWallet,
  balanceAt,
  type EntryType,
  entriesOf,
  holdBookings,
  type Position,
  type WalletEntry,
} from '../../money/ledger/wallet-entries';
import { type Access, type Depth, directionOf, type SharedAccount } from './access';
import { type AmountOf, atMost, type CashAccount, type CreditDebit, signed } from './present';

/** An entry as the standard shows it (OBTransaction6). */
export interface TransactionInformation {
  AccountId: string;
  TransactionId: string;
  TransactionReference: string;
  CreditDebitIndicator: CreditDebit;
  Status: 'Booked';
  TransactionMutability: 'Immutable';
  BookingDateTime: string;
  ValueDateTime: string;
  Amount: AmountOf;
  BankTransactionCode?: { Code: string; SubCode: string };
  ProprietaryBankTransactionCode: { Code: string; Issuer: string };
  TransactionInformation?: string;
  Balance?: { CreditDebitIndicator: CreditDebit; Type: 'InterimBooked'; Amount: AmountOf };
  CreditorAccount?: CashAccount;
  DebtorAccount?: CashAccount;
}

/** Entries of the ledger are booked at `from` or later, and not after `to`. */
export interface Booked {
  from?: Date;
  to?: Date;
}

/** Where a page begins: `older` after an entry, `newer` so that it ends before an entry, `first` with the newest. */
export interface PagePlace {
  /** The last entry that there was when the reading began. What is booked later is in none of its pages. */
  lastId: bigint;
  side: 'first' | 'older' | 'newer';
  position: Position;
}

export interface TransactionPage {
  transactions: TransactionInformation[];
  first: PagePlace;
  prev?: PagePlace;
  next?: PagePlace;
}

/** The place as words of a cursor. */
export function wordsOf({ lastId, side, position: { at, id } }: PagePlace): string[] {
  return [String(lastId), side, String(at.getTime()), String(id)];
}

export function placeFrom([lastId, side, at, id]: readonly string[]): PagePlace {
  return {
    lastId: BigInt(lastId!),
    side: side as PagePlace['side'],
    position: { at: new Date(Number(at)), id: BigInt(id!) },
  };
}

/**
 * The newest page of a reading that begins now. Waits for bookings on the account that are under way: after that, an entry
 * with a lower number can no longer appear. Run it in a transaction of its own, so that bookings go on while pages are read.
 */
export async function beginReading(
  trx: Knex.Transaction,
  { customerId }: Access,
  { currency }: SharedAccount,
): Promise<PagePlace> {
  const accounts = await accountsOfWallet(trx, { customerId, currency });
  await holdBookings(trx, accounts);
  const { lastId } = await balanceAt(trx, accounts);
  return firstOf(lastId);
}

const firstOf = (lastId: bigint): PagePlace => ({ lastId, side: 'first', position: { at: new Date(0), id: 0n } });

/**
 * A page of entries, newest first. Booking dates outside the consent's sharing dates are trimmed. Throws `forbidden` where
 * the consent shows neither credits nor debits, `invalid_request` for a `from` after `to`.
 */
export async function readTransactions(
  trx: Knex.Transaction,
  access: Access,
  account: SharedAccount,
  { depth, booked, place, limit }: { depth: Depth; booked: Booked; place: PagePlace; limit: number },
): Promise<TransactionPage> {
  const { customerId } = access;
  const { currency } = account;
  if (booked.from && booked.to && booked.from > booked.to)
    refuse('fromBookingDateTime', 'must not be after toBookingDateTime');
  const accounts = await accountsOfWallet(trx, { customerId, currency });
  const direction = directionOf(access);
  const window = { accounts, direction, lastId: place.lastId, ...windowOf(access, booked) };
  const { side, position } = place;
  const found = await entriesOf(trx, {
    ...window,
    ...(side === 'older' && { until: position }),
    ...(side === 'newer' && { from: { at: position.at, id: position.id + 1n } }),
    order: side === 'newer' ? 'oldest' : 'newest',
    limit: limit + 1,
  });
  const hasMore = found.length > limit;
  const entries = found.slice(0, limit);
  if (side === 'newer') entries.reverse();
  const [newest, oldest] = [entries[0], entries.at(-1)];
  const at = (to: 'older' | 'newer', { at, id }: WalletEntry): PagePlace => ({
    lastId: place.lastId,
    side: to,
    position: { at, id },
  });
  const [hasOlder, hasNewer] = side === 'newer' ? [true, hasMore] : [hasMore, side === 'older'];
  return {
    transactions: await present(trx, accounts, account, entries, { depth, whole: direction === undefined }),
    first: firstOf(place.lastId),
    ...(hasOlder && oldest && { next: at('older', oldest) }),
    ...(hasNewer && newest && { prev: at('newer', newest) }),
  };
}

/** What was asked for and is shared. The booking time of an entry has milliseconds, so the first one after `to` is 1 ms later. */
function windowOf({ sharingFrom, sharingTo }: Access, { from, to }: Booked): { from?: Position; until?: Position } {
  const begins = [from, sharingFrom].filter((one) => one instanceof Date).map((one) => one.getTime());
  const ends = [to, sharingTo].filter((one) => one instanceof Date).map((one) => one.getTime());
  return {
    ...(begins.length > 0 && { from: { at: new Date(Math.max(...begins)), id: 0n } }),
    ...(ends.length > 0 && { until: { at: new Date(Math.min(...ends) + 1), id: 0n } }),
  };
}

/** How this bank calls what an entry is part of, and how it reads where nobody wrote anything. */
const KINDS: Record<EntryType, { code: string; text: string }> = {
  topup: { code: 'TopUp', text: 'Top-up' },
  refund: { code: 'TopUpRefund', text: 'Refund of a top-up' },
  chargeback: { code: 'TopUpChargeback', text: 'Chargeback of a top-up' },
  transfer: { code: 'Transfer', text: 'Transfer' },
  fee: { code: 'Fee', text: 'Fee' },
  other: { code: 'Other', text: 'Other movement' },
};
const ISSUER = 'Tillway';

/** `whole`: no entry is left out between the first and the last, so that each running balance follows from the one before. */
async function present(
  trx: Knex.Transaction,
  accounts: string[],
  account: SharedAccount,
  entries: WalletEntry[],
  { depth, whole }: { depth: Depth; whole: boolean },
): Promise<TransactionInformation[]> {
  if (depth === 'basic' || entries.length === 0) return entries.map((entry) => basicOf(account, entry));
  const notes = await notesOf(trx, entries);
  const [{ at, id }] = entries as [WalletEntry];
  let balance = whole ? (await balanceAt(trx, accounts, { at, id: id + 1n })).balance : undefined;
  return entries.map((entry) => {
    const other = entry.otherIban && ({ SchemeName: 'UK.OBIE.IBAN', Identification: entry.otherIban } as const);
    const shown: TransactionInformation = {
      ...basicOf(account, entry),
      TransactionInformation: narrativeOf(entry, notes),
      ...(balance !== undefined && {
        Balance: { Type: 'InterimBooked', ...signed(balance, account.currency) },
      }),
      ...(other && (entry.signedMinor < 0n ? { CreditorAccount: other } : { DebtorAccount: other })),
    };
    if (balance !== undefined) balance -= entry.signedMinor;
    return shown;
  });
}

/** What the sender wrote; else what it is. The fee of a transfer bears the same reference, and is no part of what was written. */
function narrativeOf({ type, reference }: WalletEntry, notes: Map<string, string>): string {
  const note = type === 'transfer' ? notes.get(reference) : undefined;
  return atMost(note, 500) ?? KINDS[type].text;
}

function basicOf({ account_id, currency }: SharedAccount, entry: WalletEntry): TransactionInformation {
  const { at, id, type, reference, signedMinor } = entry;
  return {
    AccountId: String(account_id),
    // Both sides of a transfer have its number. With the account in front, no two entries of this bank have the same.
    TransactionId: `${account_id}-${id}`,
    TransactionReference: reference,
    ...signed(signedMinor, currency),
    Status: 'Booked',
    TransactionMutability: 'Immutable',
    BookingDateTime: at.toISOString(),
    ValueDateTime: at.toISOString(),
    ...(type === 'transfer' && {
      BankTransactionCode: {
        Code: signedMinor < 0n ? 'IssuedCreditTransfers' : 'ReceivedCreditTransfers',
        SubCode: 'InternalBookTransfer',
      },
    }),
    ProprietaryBankTransactionCode: { Code: KINDS[type].code, Issuer: ISSUER },
  };
}

/** What senders wrote to their transfers, by transfer. */
async function notesOf(trx: Knex.Transaction, entries: WalletEntry[]): Promise<Map<string, string>> {
  const ids = entries.filter(({ type }) => type === 'transfer').map(({ reference }) => reference);
  if (ids.length === 0) return new Map();
  const rows: { id: string; note: string }[] = await trx('p2p_transfers')
    .whereRaw('id = ANY (?::text[])', [ids])
    .whereNotNull('note')
    .select('id', 'note');
  return new Map(rows.map(({ id, note }) => [id, note]));
}
