import { createHmac } from 'node:crypto';
import { amountIn, isOfRefund, type Notice, type NoticeEvent, type OutgoingCallback, parametersOf } from '../../notice';
import { compactTime, numberedAmount, responseCode } from './wire';

const STATES: Record<NoticeEvent, string> = {
  authorized: 'APPROVED',
  captured: 'POSTED',
  settled: 'FUNDED',
  failed: 'DENIED',
  refunded: 'CREDITED',
  refund_declined: 'CREDIT_DENIED',
  charged_back: 'DISPUTED',
  second_presentment: 'DISPUTE_REPRESENTED',
  chargeback_won: 'DISPUTE_WON',
  chargeback_lost: 'DISPUTE_LOST',
  authenticated: 'ACS_PASSED',
  authentication_failed: 'ACS_DENIED',
  challenge_answered: 'ACS_PASSED',
  processing: 'IN_PROGRESS',
  received: 'IN_PROGRESS',
  settlement_batch: 'BATCH_CLOSED',
};

/** What happens on the hosted page, and by it, goes to a receiver of its own. */
const OF_THE_PAGE: ReadonlySet<NoticeEvent> = new Set(['authorized', 'captured', 'failed']);

/** A form whose last field signs all before it: HMAC-SHA256 over them as they are sent. */
export function renderCallback(notice: Notice, secret: string): OutgoingCallback {
  const { event } = notice;
  const text = parametersOf([
    ['notice_id', notice.eventId],
    ['state', STATES[event]],
    ['order_id', event === 'settlement_batch' ? undefined : notice.paymentReference],
    ['credit_id', isOfRefund(notice) ? notice.reference : undefined],
    ['batch_id', notice.batchId],
    ['txn_id', notice.processorReference],
    ...(amountIn(notice, numberedAmount) ?? []),
    ['response_code', event === 'failed' ? responseCode(notice.reason) : undefined],
    ['case_id', notice.caseId],
    ['reason', event === 'charged_back' ? notice.reason?.toUpperCase() : undefined],
    ['time', compactTime(notice.occurredAt)],
  ]);
  const signature = createHmac('sha256', secret).update(text).digest('hex');
  return {
    method: 'POST',
    receiver: notice.kind === 'hosted_page' && OF_THE_PAGE.has(event) ? 'processor_chp' : 'processor_c',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `${text}&signature=${signature}`,
  };
}
