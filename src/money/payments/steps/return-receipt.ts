import type { PaymentTrace } from '../../../domain/connector';
import type { ReceiptInput, ReceiptView } from '../../../domain/flows';
import { growingPauseMs } from '../../../domain/pauses';
import type { RefundAnswer, RefundInquiry, VoidAnswer } from '../../../domain/processor-answers';
import type { Database } from '../../../foundation/db/database';
import type { Ledger } from '../../ledger/ledger';
import { findAttempt, traceOf } from '../attempt';
import { hasEndedThere } from '../outcome';
import { lockReceipt, type ReceiptRow, recordArrival, recordReturned } from '../receipt';
import type { Sending } from './send';

/** Giving money back that nobody asked for: what was taken is refunded, what is only held is voided. */
export interface Returning extends Sending {
  database: Database;
  ledger: Ledger;
}

/**
 * Sends the return of a receipt, or asks what became of it, and books the outcome. Safe to repeat: what was sent before is
 * asked about first, and the key stays the same. `tries` spaces the next time.
 */
export async function returnReceipt(
  deps: Returning,
  { receiptId, tenantId }: ReceiptInput,
  tries: number,
): Promise<ReceiptView> {
  const { receipt, trace } = await deps.database.tenant(tenantId, async (trx) => {
    const locked = await lockReceipt(trx, receiptId);
    const attempt = await findAttempt(trx, locked.payment, locked.receipt.processor);
    if (locked.receipt.status === 'returning')
      await trx('unapplied_receipts')
        .where({ id: receiptId })
        .update({ sends: locked.receipt.sends + 1, sent_at: trx.raw('clock_timestamp()') });
    const known = traceOf(locked.payment, attempt);
    const processorReference = locked.receipt.processor_reference ?? known.processorReference;
    return { receipt: locked.receipt, trace: { ...known, processorReference } };
  });
  if (receipt.status !== 'returning') return viewOf(deps, receipt, tries);
  const answer = receipt.is_taken ? await refund(deps, receipt, trace) : await release(deps, receipt, trace);
  return deps.database.tenant(tenantId, async (trx) => {
    const locked = await lockReceipt(trx, receiptId);
    // A callback may have told meanwhile that what was held has been taken.
    if (locked.receipt.status === 'returning' && locked.receipt.is_taken === receipt.is_taken)
      await BOOK[answer.kind](trx, deps, locked, answer as never);
    return viewOf(deps, await trx('unapplied_receipts').where({ id: receiptId }).first(), tries);
  });
}

async function refund(
  { connectors }: Returning,
  receipt: ReceiptRow,
  trace: PaymentTrace,
): Promise<RefundAnswer | RefundInquiry> {
  const connector = connectors.get(receipt.processor);
  if (receipt.sends > 0) {
    const known = await connector.inquireRefund(receipt.reference, trace);
    if (known.kind !== 'not_found') return known;
  }
  return connector.refund({
    idempotencyKey: receipt.idempotency_key,
    paymentReference: receipt.payment_id,
    refundReference: receipt.reference,
    trace,
    money: { amountMinor: receipt.amount_minor, currency: receipt.currency },
  });
}

function release({ connectors }: Returning, receipt: ReceiptRow, trace: PaymentTrace): Promise<VoidAnswer> {
  const { processor, payment_id: reference, idempotency_key: idempotencyKey } = receipt;
  return connectors.get(processor).void({ idempotencyKey, reference, trace });
}

type Locked = Awaited<ReturnType<typeof lockReceipt>>;
type Answer = RefundAnswer | VoidAnswer;
type Book<Kind extends Answer['kind']> = (
  trx: Parameters<typeof recordReturned>[0],
  deps: Returning,
  locked: Locked,
  answer: Extract<Answer, { kind: Kind }>,
) => Promise<unknown>;

/** What every answer makes of money that is on its way back. */
const BOOK: { [Kind in Answer['kind']]: Book<Kind> } = {
  refunded: (trx, { ledger }, { payment, receipt }) =>
    recordReturned(trx, ledger, payment, receipt, 'Money that nobody had asked for was returned to the payer.'),
  voided: (trx, { ledger }, { payment, receipt }) =>
    recordReturned(trx, ledger, payment, receipt, 'An authorization that nobody had asked for was released.'),
  refund_declined: (trx, _deps, { receipt }, { detail }) => giveUp(trx, receipt, detail),
  refused: async (trx, { ledger }, { payment, receipt }, { detail, standing }) => {
    if (standing?.kind === 'captured')
      return recordArrival(trx, ledger, payment, {
        processor: receipt.processor,
        processorReference: standing.processorReference,
        money: standing.money,
        isTaken: true,
        detail: 'What was held without our asking was taken; it goes back to the payer.',
        cause: 'inquiry',
      });
    if (standing && hasEndedThere(standing))
      return recordReturned(trx, ledger, payment, receipt, 'An authorization that nobody had asked for has ended.');
    return giveUp(trx, receipt, detail);
  },
  pending: (trx, _deps, { receipt }, { detail }) => stay(trx, receipt, detail),
  unknown: (trx, _deps, { receipt }, { detail }) => stay(trx, receipt, `The outcome is being established: ${detail}.`),
  not_taken: (trx, _deps, { receipt }, { detail }) => stay(trx, receipt, `It could not be sent yet: ${detail}.`),
  not_found: (trx, _deps, { receipt }) => stay(trx, receipt, 'The processor does not know the payment.'),
};

/** The processor will not give it back: ops decide. */
function giveUp(trx: Parameters<typeof recordReturned>[0], { id }: ReceiptRow, detail: string): Promise<unknown> {
  return trx('unapplied_receipts')
    .where({ id })
    .update({
      status: 'refused',
      status_detail: `The processor does not give it back: ${detail}`,
      review_since: trx.raw('coalesce(review_since, clock_timestamp())'),
      updated_at: trx.raw('clock_timestamp()'),
    });
}

function stay(trx: Parameters<typeof recordReturned>[0], { id }: ReceiptRow, detail: string): Promise<unknown> {
  return trx('unapplied_receipts').where({ id }).update({ status_detail: detail });
}

function viewOf({ timers }: Returning, receipt: ReceiptRow, tries: number): ReceiptView {
  const { status, status_detail: detail, created_at, review_since } = receipt;
  const askAgainMs = growingPauseMs(timers.inquiryFirstMs, tries, timers.inquiryMaxMs);
  const isLong = Date.now() - created_at.getTime() >= timers.reviewAfterMs;
  return {
    status,
    detail,
    sinceMs: created_at.getTime(),
    ...(status === 'returning' ? { askAgainMs } : {}),
    ...(review_since || (status === 'returning' && isLong) ? { review: 'money that nobody asked for' } : {}),
  };
}
