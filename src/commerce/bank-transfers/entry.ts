import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { DomainError, found } from '../../domain/errors';
import type { Vault } from '../../foundation/vault/vault';
import type { BankTransferRequestRow } from './request';
import { orderReturn } from './return';

export const ENTRY_STATUSES = ['counted', 'excess', 'late', 'proposed', 'suspended', 'other'] as const;
export type EntryStatus = (typeof ENTRY_STATUSES)[number];

/** One row of `bank_entries`: a movement of a tenant's own account, once. Minor units of `currency`. */
export interface BankEntryRow {
  id: string;
  tenant_id: string;
  account_id: string;
  line_id: string;
  direction: 'credit' | 'debit';
  currency: string;
  amount_minor: bigint;
  /** YYYY-MM-DD */
  booked_on: string;
  bank_reference: string | null;
  fingerprint: Buffer;
  occurrence: number;
  is_on_statement: boolean;
  status: EntryStatus;
  payment_id: string | null;
  proposal: string | null;
  seconded_by: string | null;
  created_at: Date;
}

/** Tells the flow of a payment that money has come for it, in the caller's transaction: nothing is counted unheard. */
export type Report = (trx: Knex.Transaction, told: ToldEntry) => Promise<{ callbackId: string }>;

export interface ToldEntry {
  entry: Pick<BankEntryRow, 'id' | 'amount_minor' | 'currency' | 'account_id'>;
  /** The payment; else the account that it came on. */
  reference: string;
  text: string;
  payerName?: string;
}

export interface Counting {
  vault: Pick<Vault, 'openIban' | 'sealIban'>;
  report: Report;
  /** Who sends what goes back. */
  returnsThrough(): ProcessorId;
}

/** The entry, locked. Throws `not_found`. */
export async function lockEntry(trx: Knex.Transaction, id: string): Promise<BankEntryRow> {
  return found(await trx('bank_entries').where({ id }).forUpdate().first(), 'entry');
}

/** What money comes to that is a payment's by its reference. */
export interface Count {
  status: Extract<EntryStatus, 'counted' | 'excess' | 'late'>;
  /** The request after it. */
  request: BankTransferRequestRow;
  /** What is too much and goes back, in minor units. */
  excessMinor: bigint;
}

const STATUS_BY_REQUEST = { open: 'counted', paid: 'excess', closed: 'late' } as const;

/**
 * Pure. What is more than the payment asks for goes back to the payer; so does all of it where the payment has what it asked
 * for. Where it takes none any more, its flow gives it back as money that came too late.
 */
export function countTowards(request: BankTransferRequestRow, amountMinor: bigint): Count {
  const status = STATUS_BY_REQUEST[request.status];
  if (status !== 'counted') return { status, request, excessMinor: status === 'excess' ? amountMinor : 0n };
  const received = request.received_minor + amountMinor;
  const isPaid = received >= request.amount_minor;
  return {
    status,
    request: { ...request, received_minor: received, status: isPaid ? 'paid' : 'open' },
    excessMinor: isPaid ? received - request.amount_minor : 0n,
  };
}

/** Has an entry that nobody's payment had count towards one, in the caller's transaction with the request locked. */
export async function countEntry(
  trx: Knex.Transaction,
  deps: Counting,
  entry: BankEntryRow,
  before: BankTransferRequestRow,
  line: { text: string; payer_name: string | null },
): Promise<void> {
  if (entry.currency !== before.currency || entry.tenant_id !== before.tenant_id)
    throw new DomainError('invalid_state', 'The transfer is in another currency than the payment');
  const count = countTowards(before, entry.amount_minor);
  const { status, request } = count;
  const columns = { status, payment_id: request.payment_id, proposal: null };
  await trx('bank_entries').where({ id: entry.id }).update(columns);
  await writeReceived(trx, request);
  await tellCounted(trx, deps, { ...entry, ...columns }, count, line);
}

/** Writes down what a locked request has by now. */
export async function writeReceived(
  trx: Knex.Transaction,
  { payment_id, received_minor, status }: BankTransferRequestRow,
): Promise<void> {
  await trx('bank_transfer_requests').where({ payment_id }).update({ received_minor, status });
}

/** What follows from an entry that counts: what is too much goes back, and the flow of the payment hears of the rest. */
export async function tellCounted(
  trx: Knex.Transaction,
  deps: Counting,
  entry: BankEntryRow,
  { status, request, excessMinor }: Count,
  line: { text: string; payer_name: string | null },
): Promise<void> {
  if (excessMinor > 0n)
    await orderReturn(trx, deps, {
      kind: 'excess',
      cause: `${entry.id}/excess`,
      paymentId: request.payment_id,
      entryId: entry.id,
      money: { amountMinor: excessMinor, currency: entry.currency },
    });
  // The payment has nothing to learn of money that goes back by itself.
  if (status === 'excess') return;
  const payerName = line.payer_name ?? undefined;
  await deps.report(trx, { entry, reference: request.payment_id, text: line.text, payerName });
}
