import { createHmac } from 'node:crypto';
import { amountIn, jsonCallback, type Notice, type NoticeEvent, type OutgoingCallback } from '../../notice';
import { amount, reasonWord } from './wire';

const TOPICS: Record<NoticeEvent, string> = {
  authorized: 'invoice/accepted',
  captured: 'invoice/confirmed',
  settled: 'invoice/paid_out',
  failed: 'invoice/rejected',
  refunded: 'return/sent',
  refund_declined: 'return/refused',
  charged_back: 'clawback/opened',
  second_presentment: 'clawback/contested',
  chargeback_won: 'clawback/won',
  chargeback_lost: 'clawback/lost',
  authenticated: 'invoice/screened',
  authentication_failed: 'invoice/rejected',
  challenge_answered: 'invoice/screened',
  processing: 'invoice/confirming',
  received: 'invoice/incoming',
  settlement_batch: 'payout/closed',
};

/** JSON, signed together with the time of this sending: HMAC-SHA512 in base64. */
export function renderCallback(notice: Notice, secret: string): OutgoingCallback {
  const body = JSON.stringify({
    topic: TOPICS[notice.event],
    event_id: notice.eventId,
    at: notice.occurredAt,
    about: notice.event === 'settlement_batch' ? { payout: notice.batchId, entries: notice.count } : aboutOf(notice),
  });
  const timestamp = Math.floor(Date.now() / 1_000).toString();
  const signature = createHmac('sha512', secret).update(`${timestamp}.${body}`).digest('base64');
  return jsonCallback('processor_h', body, { 'x-timestamp': timestamp, 'x-signature': signature });
}

function aboutOf(notice: Notice): object {
  const { event, receivedMinor, currency } = notice;
  return {
    id: notice.processorReference,
    merchant_ref: notice.reference,
    invoice_ref: notice.paymentReference,
    amount: amountIn(notice, amount),
    received: event === 'captured' ? amountIn({ amountMinor: receivedMinor, currency }, amount) : undefined,
    reason: event !== 'processing' && notice.reason ? reasonWord(notice.reason) : undefined,
    confirmations: event === 'processing' ? confirmationsOf(notice) : undefined,
    case: notice.caseId,
  };
}

/** Out of a reason such as `1 of 2`. */
function confirmationsOf({ reason = '' }: Notice): object | undefined {
  const [seen, needed] = reason.split(' of ').map(Number);
  return needed ? { seen, needed } : undefined;
}
