import { EVENT_SUBJECTS, type ProviderEvent, ProviderUnavailable } from '../../../domain/connector';
import type { ProviderHttpResult } from '../http';
import { eventType, paymentMeaning, refusal } from './status';
import { type Answer, type PaymentWire, type RefundWire, readAnswer } from './wire';

/**
 * What is true about an unsigned callback. Only what it is about is taken from it; what became of that is what the
 * processor says when asked. Undefined: it knows nothing of the kind. Throws ProviderUnavailable.
 * @param ask sends one operation.
 */
export async function confirm(
  hint: ProviderEvent,
  ask: (form: Record<string, string>) => Promise<ProviderHttpResult>,
): Promise<ProviderEvent | undefined> {
  const { type, reference } = hint;
  const about = EVENT_SUBJECTS[type];
  if (about === 'batch') {
    const known = await told(ask({ op: 'BATCH', batch: reference }));
    return known?.batch && { ...hint, batchId: reference, money: undefined };
  }
  if (about === 'refund') {
    const refund = (await told(ask({ op: 'REFUND_STATUS', refund: reference })))?.refund;
    return refund?.reference === reference ? refundEvent(hint, refund) : undefined;
  }
  const payment = (await told(ask({ op: 'STATUS', order: reference })))?.payment;
  if (payment?.reference !== reference) return undefined;
  return about === 'dispute' && payment.dispute
    ? disputeEvent(hint, payment, payment.dispute)
    : paymentEvent(hint, payment);
}

/** Undefined when the processor does not know what it was asked for. */
async function told(asking: Promise<ProviderHttpResult>): Promise<Answer | undefined> {
  const result = await asking;
  if (result.kind !== 'answer') throw new ProviderUnavailable(`confirmation: ${result.detail}`);
  const answer = result.status === 200 ? readAnswer(result.text) : undefined;
  if (answer?.code === '44') return undefined;
  if (answer?.code !== '00') throw new ProviderUnavailable('confirmation: no answer to it');
  return answer;
}

function paymentEvent({ eventId }: ProviderEvent, payment: PaymentWire): ProviderEvent {
  const { reference, state, total, paid, id: providerReference } = payment;
  const event = { eventId, reference, providerStatus: state, providerReference };
  // A state that tells of a refund, a dispute or the settlement tells of a captured payment.
  if (paymentMeaning(state) === 'captured') return { ...event, type: paid ? 'captured' : 'pending', money: paid };
  const type = eventType(state);
  const declined = type === 'failed' ? refusal(payment.reason) : undefined;
  return { ...event, type, money: total, code: declined?.code, reason: declined?.detail };
}

function disputeEvent(
  { eventId }: ProviderEvent,
  { reference, id: providerReference }: PaymentWire,
  { caseId, state, total, reason }: NonNullable<PaymentWire['dispute']>,
): ProviderEvent {
  const type = eventType(state);
  return { eventId, reference, type, providerStatus: state, money: total, providerReference, caseId, reason };
}

function refundEvent({ eventId }: ProviderEvent, { reference, state, total, id }: RefundWire): ProviderEvent {
  return { eventId, reference, type: eventType(state), providerStatus: state, money: total, providerReference: id };
}
