import type { Knex } from 'knex';
import type { PaymentInput, PaymentView } from '../../../domain/flows';
import { growingPauseMs } from '../../../domain/pauses';
import { isClosed } from '../../../domain/states/payment';
import type { Config } from '../../../foundation/config/config';
import type { Database } from '../../../foundation/db/database';
import { type OperationRow, pendingOperation } from '../operation';
import type { PaymentRow } from '../payment';

/** How a payment's flow sees it after each step: its status, whom it waits for, and for how long. */
export interface Viewing {
  database: Database;
  timers: Config['timers'];
}

/** The payment and the capture or void under way, in one round trip. */
export async function readPayment(
  { database }: Viewing,
  { paymentId, tenantId }: PaymentInput,
): Promise<{ payment?: PaymentRow; operation?: OperationRow }> {
  const { rows } = await database.app.raw(
    `SELECT (r.payment).*, (r.operation).id AS operation_id, (r.operation).kind AS operation_kind,
       (r.operation).amount_minor AS operation_amount_minor, (r.operation).cause AS operation_cause,
       (r.operation).sent_at AS operation_sent_at, (r.operation).sends AS operation_sends,
       (r.operation).in_flight_until AS operation_in_flight_until FROM payment_read(?, ?) AS r`,
    [tenantId, paymentId],
  );
  if (!rows[0]) return {};
  const {
    operation_id,
    operation_kind,
    operation_amount_minor,
    operation_cause,
    operation_sent_at,
    operation_sends,
    operation_in_flight_until,
    ...payment
  } = rows[0];
  if (operation_id === null) return { payment };
  const operation: OperationRow = {
    id: operation_id,
    tenant_id: tenantId,
    payment_id: paymentId,
    kind: operation_kind,
    amount_minor: operation_amount_minor,
    status: 'pending',
    cause: operation_cause,
    sent_at: operation_sent_at,
    sends: operation_sends,
    in_flight_until: operation_in_flight_until,
  };
  return { payment, operation };
}

/** The view of a payment as it stands. `tries` spaces the next question to the processor. */
export async function readPaymentView(viewing: Viewing, input: PaymentInput, tries = 0): Promise<PaymentView> {
  const { payment, operation } = await readPayment(viewing, input);
  if (!payment)
    return { status: 'withdrawn', resultCode: 0, detail: 'The request was taken back.', waitsFor: 'nobody' };
  return paymentView(viewing, payment, { isBusy: operation !== undefined, tries });
}

/** The view of a payment, looking up whether a capture or void is under way where that matters. */
export async function paymentViewIn(
  trx: Knex.Transaction,
  viewing: Viewing,
  payment: PaymentRow,
  tries = 0,
): Promise<PaymentView> {
  const busy = !isClosed(payment.status) && (await pendingOperation(trx, payment.id));
  return paymentView(viewing, payment, { isBusy: Boolean(busy), tries });
}

/** `isBusy`: a capture or void is under way. */
export function paymentView(
  { timers }: Pick<Viewing, 'timers'>,
  payment: PaymentRow,
  { isBusy, tries = 0 }: { isBusy: boolean; tries?: number },
): PaymentView {
  const view = {
    status: payment.status,
    resultCode: payment.result_code,
    detail: payment.status_detail,
    sinceMs: payment.updated_at.getTime(),
    ...(payment.review_reason ? { review: payment.review_reason } : {}),
  };
  const waitsUntilMs = payment.waits_until?.getTime();
  if (isClosed(payment.status)) return { ...view, waitsFor: 'nobody' };
  const askAgainMs = growingPauseMs(timers.inquiryFirstMs, tries, timers.inquiryMaxMs);
  if (isBusy) return { ...view, waitsFor: 'provider', askAgainMs };
  // Nobody has any more time: only the processor can say how it ends.
  if (waitsUntilMs !== undefined && waitsUntilMs <= Date.now()) return { ...view, waitsFor: 'provider', askAgainMs };
  if (payment.status === 'requires_action')
    return { ...view, waitsFor: 'payer', waitsUntilMs, checkAtMs: nextCheckMs(timers, payment) };
  if (payment.status === 'authorized' && payment.capture_mode === 'manual')
    return { ...view, waitsFor: 'merchant', waitsUntilMs };
  return { ...view, waitsFor: 'provider', askAgainMs };
}

/** A callback may have been lost: while the payer takes time, the processor is asked too, with doubling pauses. */
function nextCheckMs(timers: Config['timers'], payment: PaymentRow): number | undefined {
  const since = payment.updated_at.getTime();
  let pause = timers.payerInquiryFirstMs;
  while (pause > 0 && since + pause <= Date.now()) pause *= 2;
  const check = since + pause;
  return pause > 0 && check < (payment.waits_until?.getTime() ?? Number.POSITIVE_INFINITY) ? check : undefined;
}
