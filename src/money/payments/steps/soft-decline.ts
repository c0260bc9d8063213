import type { PaymentStanding } from '../../../domain/processor-answers';
import { RESULT } from '../../../domain/result-codes';
import { jsonOf } from '../../../foundation/db/json';
import { giveBackLowValue } from '../../authentication/low-value';
import type { PaymentRequestDetails, PaymentRow } from '../payment';
import { lockPayment } from '../payment';
import type { TimelineCause } from '../timeline-causes';
import { applyChange } from '../transition';
import type { Booking } from './book-answer';

/** An issuer that declines a payment without 3-D Secure, and may approve it with. */
export type SoftDecline = Extract<PaymentStanding, { kind: 'soft_declined' }>;

/** Whether the payer can be asked to authenticate: it is there, and was not asked for this payment before. */
export function mayAuthenticate({ kind, status, request }: PaymentRow): boolean {
  const isOpen = status === 'initiated' || status === 'pending';
  return isOpen && kind === 'card' && request.threeDS !== 'required' && !request.recurring?.originalPaymentId;
}

/** Whether the payment is sent with 3-D Secure since its issuer wanted it. */
export function isSentAuthenticated({ request }: PaymentRow): boolean {
  return request.authentication?.softDeclined !== undefined;
}

/**
 * Writes down that a payment is sent once more to its processor, with 3-D Secure, before it is sent. It stays one payment with
 * one attempt, which counts once. The exemption was not used: a low value is given back. Safe to repeat. Undefined: somebody
 * else has moved the payment.
 */
export async function markAuthenticated(
  { database, ledger }: Booking,
  payment: PaymentRow,
  { processorReference }: SoftDecline,
  cause: TimelineCause,
): Promise<PaymentRow | undefined> {
  const { id, tenant_id, processor } = payment;
  return database.tenant(tenant_id, async (trx) => {
    const current = await lockPayment(trx, id);
    if (current.version !== payment.version) return undefined;
    const request = authenticated(current, processorReference);
    await trx('payments')
      .where({ id })
      .update({ request: jsonOf(request) });
    await trx('payment_attempts')
      .where({ payment_id: id, processor })
      .update({ sends: trx.raw('sends + 1'), sent_at: trx.raw('clock_timestamp()') });
    await giveBackLowValue(trx, current);
    return applyChange(
      trx,
      ledger,
      { ...current, request },
      {
        to: current.status,
        resultCode: RESULT.pending,
        detail: 'The issuer wants the payer to authenticate: it is sent again with 3-D Secure.',
        cause,
        columns: { unknown_since: null },
        attempt: { status: 'pending', reference: processorReference },
      },
    );
  });
}

function authenticated({ request, processor }: PaymentRow, processorReference?: string): PaymentRequestDetails {
  const { exemption, ...before } = request.authentication ?? { asked: request.threeDS };
  if (before.softDeclined) return request;
  const softDeclined = { processor, processorReference, exemption };
  return { ...request, threeDS: 'required', authentication: { ...before, softDeclined } };
}
