import { amountIn, isOfRefund, type Notice, type NoticeEvent, type OutgoingCallback } from '../../notice';
import { reasonCode, STATE, totalText } from './wire';

const STATES: Record<NoticeEvent, number> = {
  authorized: STATE.held,
  captured: STATE.paid,
  settled: STATE.settled,
  failed: STATE.declined,
  refunded: STATE.refundDone,
  refund_declined: STATE.refundFailed,
  charged_back: STATE.disputed,
  second_presentment: STATE.represented,
  chargeback_won: STATE.disputeWon,
  chargeback_lost: STATE.disputeLost,
  authenticated: STATE.secured,
  authentication_failed: STATE.notSecured,
  challenge_answered: STATE.secured,
  processing: STATE.review,
  received: STATE.review,
  settlement_batch: STATE.batchClosed,
};

/** A form that nobody signs: whoever receives it has to ask. `nid` makes every notice another one. */
export function renderCallback(notice: Notice): OutgoingCallback {
  const { event } = notice;
  const form = new URLSearchParams({ nid: notice.eventId, state: String(STATES[event]) });
  const add = (name: string, value: string | undefined) => value !== undefined && form.append(name, value);
  add('order', event === 'settlement_batch' ? undefined : notice.paymentReference);
  add('refund', isOfRefund(notice) ? notice.reference : undefined);
  add('batch', notice.batchId);
  add('id', notice.processorReference);
  add('total', amountIn(notice, totalText));
  add('case', notice.caseId);
  add('reason', notice.reason && reasonCode(notice.reason));
  return {
    method: 'POST',
    receiver: 'processor_g',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  };
}
