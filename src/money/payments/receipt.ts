import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import { found } from '../../domain/errors';
import { newId } from '../../domain/ids';
import type { Money } from '../../domain/money';
import type { Ledger } from '../ledger/ledger';
import { noteStanding } from './attempt';
import * as bookings from './bookings';
import { lockPayment, type PaymentRow } from './payment';
import type { TimelineCause } from './timeline-causes';
import { applyChange } from './transition';

export const RECEIPT_STATUSES = ['returning', 'returned', 'refused'] as const;
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number];

/** One row of `unapplied_receipts`: money that a processor took or holds without our asking. */
export interface ReceiptRow {
  id: string;
  tenant_id: string;
  organization_id: string;
  payment_id: string;
  processor: ProcessorId;
  /** Which money it is; see `Arrival`. */
  money: string;
  processor_reference: string | null;
  currency: string;
  amount_minor: bigint;
  /** False: it is only held, and nothing is booked. */
  is_taken: boolean;
  status: ReceiptStatus;
  status_detail: string;
  /** What the processor knows its return by. */
  reference: string;
  idempotency_key: string;
  sends: number;
  sent_at: Date | null;
  review_since: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** Money that nobody asked for, as a processor tells of it. */
export interface Arrival {
  processor: ProcessorId;
  processorReference?: string;
  money: Money;
  /** False: it is only held. */
  isTaken: boolean;
  /** A transfer that a payer sent is known by its id, else its event; everything else is the processor's charge. */
  transferId?: string;
  /** A sentence for the timeline. */
  detail: string;
  cause: TimelineCause;
}

/** Ops find the payments with money that nobody asked for by this. */
export const LATE_MONEY = 'late money';

/**
 * Writes money down that nobody asked for, and books what was taken, in the caller's transaction with the payment locked.
 * The same money again changes nothing, except that what was held may have been taken since. Its own flow gives it back.
 */
export async function recordArrival(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  arrival: Arrival,
): Promise<ReceiptRow> {
  const known = await knownReceipt(trx, payment, arrival);
  if (known && (known.is_taken || !arrival.isTaken)) return known;
  if (known?.status === 'returning') return recordTaken(trx, ledger, payment, known, arrival);
  await noteStanding(trx, payment, standingOf(arrival));
  const id = newId('receipt');
  const [receipt]: ReceiptRow[] = await trx('unapplied_receipts')
    .insert({
      id,
      tenant_id: payment.tenant_id,
      organization_id: payment.organization_id,
      payment_id: payment.id,
      processor: arrival.processor,
      // A hold that was given back, and was taken in spite of that, is other money than the hold.
      money: known ? `${known.money}, taken` : moneyOf(arrival),
      processor_reference: arrival.processorReference ?? null,
      currency: arrival.money.currency,
      amount_minor: arrival.money.amountMinor,
      is_taken: arrival.isTaken,
      status: 'returning',
      status_detail: arrival.detail,
      reference: id,
      idempotency_key: `receipt/${id}`,
    })
    .returning('*');
  await note(trx, ledger, payment, receipt!, arrival, arrival.isTaken ? bookings.receipt(receipt!, 'arrived') : []);
  return receipt!;
}

const standingOf = ({ processor, processorReference, isTaken, detail }: Arrival) =>
  ({ processor, status: isTaken ? 'captured' : 'authorized', reference: processorReference, detail }) as const;

const moneyOf = ({ transferId }: Arrival) => (transferId ? `transfer ${transferId}` : 'charge');

async function knownReceipt(
  trx: Knex.Transaction,
  payment: PaymentRow,
  arrival: Arrival,
): Promise<ReceiptRow | undefined> {
  const money = moneyOf(arrival);
  const rows: ReceiptRow[] = await trx('unapplied_receipts')
    .where({ payment_id: payment.id, processor: arrival.processor })
    .whereIn('money', [money, `${money}, taken`])
    .forUpdate();
  return rows.find((row) => row.is_taken) ?? rows[0];
}

/** All that is booked as taken by a processor for a payment without our asking, in minor units. */
export async function takenMinor(trx: Knex.Transaction, paymentId: string, processor: ProcessorId): Promise<bigint> {
  const rows: Pick<ReceiptRow, 'amount_minor'>[] = await trx('unapplied_receipts')
    .where({ payment_id: paymentId, processor, is_taken: true })
    .select('amount_minor');
  return rows.reduce((total, { amount_minor }) => total + amount_minor, 0n);
}

/** What was held has been taken: from now on it is given back by a refund. */
async function recordTaken(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  held: ReceiptRow,
  arrival: Arrival,
): Promise<ReceiptRow> {
  await noteStanding(trx, payment, standingOf(arrival));
  const [receipt]: ReceiptRow[] = await trx('unapplied_receipts')
    .where({ id: held.id })
    .update({
      is_taken: true,
      amount_minor: arrival.money.amountMinor,
      processor_reference: arrival.processorReference ?? held.processor_reference,
      idempotency_key: `receipt/${held.id}/taken`,
      sends: 0,
      sent_at: null,
      status_detail: arrival.detail,
      updated_at: trx.raw('clock_timestamp()'),
    })
    .returning('*');
  await note(trx, ledger, payment, receipt!, arrival, bookings.receipt(receipt!, 'arrived'));
  return receipt!;
}

/** The payment stays where it ended; its timeline and ops hear of the money. */
async function note(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  receipt: ReceiptRow,
  { cause, detail }: Pick<Arrival, 'cause' | 'detail'>,
  movements: ReturnType<typeof bookings.receipt>,
  columns: Partial<Pick<PaymentRow, 'review_reason' | 'review_since'>> = {
    review_reason: LATE_MONEY,
    review_since: payment.review_since ?? new Date(),
  },
): Promise<void> {
  // In the currency of the money, which need not be the payment's.
  await ledger.book(trx, receipt.tenant_id, receipt.currency, movements);
  await applyChange(trx, ledger, payment, {
    to: payment.status,
    resultCode: payment.result_code,
    detail,
    cause,
    columns,
  });
}

/** The receipt and its payment, both locked, in this order everywhere. Throws `not_found`. */
export async function lockReceipt(
  trx: Knex.Transaction,
  receiptId: string,
): Promise<{ payment: PaymentRow; receipt: ReceiptRow }> {
  const known: Pick<ReceiptRow, 'payment_id'> | undefined = await trx('unapplied_receipts')
    .where({ id: receiptId })
    .first('payment_id');
  const payment = await lockPayment(trx, found(known, 'receipt').payment_id);
  const receipt: ReceiptRow = await trx('unapplied_receipts').where({ id: receiptId }).forUpdate().first();
  return { payment, receipt };
}

/** The money is back with the payer. */
export async function recordReturned(
  trx: Knex.Transaction,
  ledger: Ledger,
  payment: PaymentRow,
  receipt: ReceiptRow,
  detail: string,
): Promise<void> {
  await trx('unapplied_receipts')
    .where({ id: receipt.id })
    .update({
      status: 'returned' satisfies ReceiptStatus,
      status_detail: detail,
      review_since: null,
      updated_at: trx.raw('clock_timestamp()'),
    });
  if (!receipt.is_taken) await noteStanding(trx, payment, { processor: receipt.processor, status: 'voided', detail });
  const others = await trx('unapplied_receipts')
    .where({ payment_id: payment.id })
    .whereNot({ status: 'returned' })
    .first('id');
  const isLast = !others && payment.review_reason === LATE_MONEY;
  const movements = receipt.is_taken ? bookings.receipt(receipt, 'returned') : [];
  const columns = isLast ? { review_since: null } : {};
  await note(trx, ledger, payment, receipt, { cause: 'late money returned', detail }, movements, columns);
}
