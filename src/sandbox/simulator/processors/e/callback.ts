import { createHmac } from 'node:crypto';
import { amountIn, isOfRefund, jsonCallback, type Notice, type NoticeEvent, type OutgoingCallback } from '../../notice';
import { amount, collectionStep, reasonCode } from './wire';

const EVENTS: Record<NoticeEvent, string> = {
  authorized: 'payment.held',
  captured: 'payment.booked',
  settled: 'payment.paid_out',
  failed: 'payment.rejected',
  refunded: 'credit.booked',
  refund_declined: 'credit.rejected',
  charged_back: 'payment.disputed',
  second_presentment: 'dispute.represented',
  chargeback_won: 'dispute.won',
  chargeback_lost: 'dispute.lost',
  authenticated: 'payment.in_progress',
  authentication_failed: 'payment.rejected',
  challenge_answered: 'payment.in_progress',
  processing: 'payment.in_progress',
  received: 'payment.in_progress',
  settlement_batch: 'statement.ready',
};

/** What becomes of a wallet payment at once goes to a receiver of its own. */
const OUTCOMES: ReadonlySet<NoticeEvent> = new Set(['authorized', 'captured', 'failed']);

/** JSON, signed together with the time at which it is sent: each try is signed anew. */
export function renderCallback(notice: Notice, secret: string): OutgoingCallback {
  const { event, kind } = notice;
  const body = JSON.stringify({
    eventId: notice.eventId,
    event: eventName(notice),
    createdAt: notice.occurredAt,
    about: aboutOf(notice),
  });
  const seconds = Math.floor(Date.now() / 1_000);
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  const receiver = kind === 'wallet' && OUTCOMES.has(event) ? 'processor_eh2h' : 'processor_e';
  return jsonCallback(receiver, body, { 'processor-signature': `t=${seconds},v1=${signature}` });
}

function eventName({ event, kind, reason }: Notice): string {
  if (kind !== 'direct_debit') return EVENTS[event];
  if (event === 'processing') return `collection.${collectionStep(reason ?? '')}`;
  return event === 'charged_back' ? 'collection.returned' : EVENTS[event];
}

function aboutOf(notice: Notice): object {
  const { event, kind, reason } = notice;
  if (event === 'settlement_batch') return { statementId: notice.batchId, entries: notice.count };
  const isCredit = isOfRefund(notice);
  return {
    endToEndId: notice.paymentReference,
    creditId: isCredit ? notice.reference : undefined,
    [isCredit ? 'transferId' : 'paymentId']: notice.processorReference,
    amount: amountIn(notice, amount),
    reasonCode: reason && event !== 'processing' ? reasonCode(reason, kind) : undefined,
    caseId: notice.caseId,
    mandate: notice.details,
  };
}
