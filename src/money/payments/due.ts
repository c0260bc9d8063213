import type { Config } from '../../foundation/config/config';
import type { PaymentRow } from './payment';

type Pauses = Pick<Config['timers'], 'payerInquiryFirstMs'>;

/**
 * When a processor is asked about a payment that waits for its payer, in milliseconds since the epoch: a callback may have
 * been lost. The pauses since `since` double. Undefined: not before the payer's time is up.
 */
export function nextCheckMs(
  { payerInquiryFirstMs }: Pauses,
  since: Date,
  waitsUntil: Date | null,
  nowMs = Date.now(),
): number | undefined {
  let pause = payerInquiryFirstMs;
  while (pause > 0 && since.getTime() + pause <= nowMs) pause *= 2;
  const check = since.getTime() + pause;
  return pause > 0 && check < (waitsUntil?.getTime() ?? Number.POSITIVE_INFINITY) ? check : undefined;
}

/** Whether a payment waits for its payer or its merchant; its flow has no timer then. */
export function waitsForPeople({ status, capture_mode }: Pick<PaymentRow, 'status' | 'capture_mode'>): boolean {
  return status === 'requires_action' || (status === 'authorized' && capture_mode === 'manual');
}

/**
 * When the flow of a payment has something to do after `nowMs`, where it has no timer for that (`flow_due_at`). Null: never,
 * or it has one.
 */
export function nextDue(
  pauses: Pauses,
  payment: Pick<PaymentRow, 'status' | 'capture_mode' | 'updated_at' | 'waits_until'>,
  nowMs = Date.now(),
): Date | null {
  const { status, updated_at, waits_until } = payment;
  if (!waitsForPeople(payment)) return null;
  const checkMs = status === 'requires_action' ? nextCheckMs(pauses, updated_at, waits_until, nowMs) : undefined;
  if (checkMs !== undefined) return new Date(checkMs);
  return waits_until && waits_until.getTime() > nowMs ? waits_until : null;
}
