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

/**
 * Has an entry count towards a payment, in the caller's transaction with the request locked. What is more than the payment
 * asks for goes back to the payer; so does all of it where the payment has what it asked for. Where it takes none any more,
 * its flow gives it back as money that came too late. Answers what the entry is then.
 */
export async function countEntry(
  trx: Knex.Transaction,
  deps: Counting,
  entry: BankEntryRow,
  request: BankTransferRequestRow,
  line: { text: string; payer_name: string | null },
): Promise<EntryStatus> {
  if (entry.currency !== request.currency || entry.tenant_id !== request.tenant_id)
    throw new DomainError('invalid_state', 'The transfer is in another currency than the payment');
  const status = ({ open: 'counted', paid: 'excess', closed: 'late' } as const)[request.status];
  await trx('bank_entries').where({ id: entry.id }).update({ status, payment_id: request.payment_id, proposal: null });
  const excess = await received(trx, entry, request, status);
  if (excess > 0n)
    await orderReturn(trx, deps, {
      kind: 'excess',
      cause: `${entry.id}/excess`,
      paymentId: request.payment_id,
      entryId: entry.id,
      money: { amountMinor: excess, currency: entry.currency },
    });
  // The payment has nothing to learn of money that goes back by itself.
  if (status !== 'excess')
    await deps.report(trx, {
      entry,
      reference: request.payment_id,
      text: line.text,
      payerName: line.payer_name ?? undefined,
    });
  return status;
}

/** Adds what counts; answers what is too much, in minor units. */
async function received(
  trx: Knex.Transaction,
  entry: BankEntryRow,
  request: BankTransferRequestRow,
  status: EntryStatus,
): Promise<bigint> {
  if (status === 'late') return 0n;
  if (status === 'excess') return entry.amount_minor;
  const total = request.received_minor + entry.amount_minor;
  const isPaid = total >= request.amount_minor;
  await trx('bank_transfer_requests')
    .where({ payment_id: request.payment_id })
    .update({ received_minor: total, status: isPaid ? 'paid' : 'open' });
  return isPaid ? total - request.amount_minor : 0n;
}
