import { type ProcessorEvent, ProcessorUnavailable } from '../../../domain/connector';
import { EVENT_SUBJECTS } from '../../../domain/event-subject';
import type { ProcessorHttpResult } from '../http';
import type { Standing } from '../reading';
import { eventType, paymentMeaning, refusal } from './status';
import { type Answer, type PaymentWire, readAnswer } from './wire';

/**
 * Finds out what is true about an unsigned callback. The callback only names a payment, refund or batch; the processor is
 * asked for its state. Undefined: the processor does not know it. Throws ProcessorUnavailable.
 * @param ask sends one operation.
 */
export async function confirm(
  hint: ProcessorEvent,
  ask: (form: Record<string, string>) => Promise<ProcessorHttpResult>,
): Promise<ProcessorEvent | undefined> {
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
async function told(asking: Promise<ProcessorHttpResult>): Promise<Answer | undefined> {
  const result = await asking;
  if (result.kind !== 'answer') throw new ProcessorUnavailable(`confirmation: ${result.detail}`);
  const answer = result.status === 200 ? readAnswer(result.text) : undefined;
  if (answer?.code === '44') return undefined;
  if (answer?.code !== '00') throw new ProcessorUnavailable('confirmation: no answer to it');
  return answer;
}

function paymentEvent({ eventId }: ProcessorEvent, payment: PaymentWire): ProcessorEvent {
  const { reference, status: state, money: total, paid, id: processorReference } = payment;
  const event = { eventId, reference, processorStatus: state, processorReference };
  // A state that tells of a refund, a dispute or the settlement tells of a captured payment.
  if (paymentMeaning(state) === 'captured') return { ...event, type: paid ? 'captured' : 'pending', money: paid };
  const type = eventType(state);
  const declined = type === 'failed' ? refusal(payment.reason) : undefined;
  return { ...event, type, money: total, code: declined?.code, reason: declined?.detail };
}

function disputeEvent(
  { eventId }: ProcessorEvent,
  { reference, id: processorReference }: PaymentWire,
  { caseId, state, total, reason }: NonNullable<PaymentWire['dispute']>,
): ProcessorEvent {
  const type = eventType(state);
  return { eventId, reference, type, processorStatus: state, money: total, processorReference, caseId, reason };
}

function refundEvent({ eventId }: ProcessorEvent, { reference, status, money, id }: Standing): ProcessorEvent {
  return { eventId, reference, type: eventType(status), processorStatus: status, money, processorReference: id };
}
