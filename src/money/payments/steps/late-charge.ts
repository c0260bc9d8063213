import { type AttemptRow, traceOf } from '../attempt';
import { lockPayment, type PaymentRow } from '../payment';
import { recordArrival } from '../receipt';
import type { Returning } from './return-receipt';

const BATCH = 20;

/**
 * Asks processors again about payments that they did not know when the time of the request was over. A request that came
 * later than that may have charged the payer without a word to us: what was taken or is held goes back. The pauses double,
 * until the outcome of a payment would be for ops. Answers whether there may be more to ask now.
 */
export async function askAboutLateCharges(deps: Returning): Promise<boolean> {
  const { inquiryFirstMs, reviewAfterMs } = deps.timers;
  const { rows }: { rows: AttemptRow[] } = await deps.database.system.raw(
    `UPDATE payment_attempts SET ask_again_at = CASE
       WHEN clock_timestamp() - updated_at < :reviewAfterMs * interval '1 millisecond' THEN clock_timestamp() +
         greatest(:inquiryFirstMs * interval '1 millisecond', clock_timestamp() - updated_at) END
     WHERE (payment_id, processor) IN (SELECT payment_id, processor FROM payment_attempts WHERE ask_again_at <= now()
       ORDER BY ask_again_at LIMIT :batch FOR UPDATE SKIP LOCKED)
     RETURNING *`,
    { inquiryFirstMs, reviewAfterMs, batch: BATCH },
  );
  await Promise.all(rows.map((attempt) => ask(deps, attempt)));
  return rows.length === BATCH;
}

async function ask(deps: Returning, attempt: AttemptRow): Promise<void> {
  const { processor, payment_id: id, tenant_id: tenantId } = attempt;
  const payment: PaymentRow = await deps.database.system('payments').where({ id }).first();
  const answer = await deps.connectors.get(processor).inquirePayment(id, traceOf(payment, attempt));
  if (answer.kind !== 'captured' && answer.kind !== 'authorized') return;
  const isTaken = answer.kind === 'captured';
  await deps.database.tenant(tenantId, async (trx) => {
    const current = await lockPayment(trx, id);
    await trx('payment_attempts').where({ payment_id: id, processor }).update({ ask_again_at: null });
    await recordArrival(trx, deps.ledger, current, {
      processor,
      processorReference: answer.processorReference,
      money: answer.money,
      isTaken,
      detail: `Processor ${processor} has charged after all, long after it did not know the payment; it is being returned.`,
      cause: 'inquiry',
    });
  });
}
