import { createHmac } from 'node:crypto';
import { formatAmount } from '../../../../domain/money';
import {
  amountIn,
  jsonCallback,
  type Notice,
  type NoticeEvent,
  type OutgoingCallback,
  parametersOf,
} from '../../notice';
import type { CardChange } from '../../records';
import { reasonWord } from './wire';

interface Form {
  receiver: string;
  type: string;
  status: string;
}

const FORMS: Record<Exclude<NoticeEvent, 'challenge_answered'>, Form> = {
  processing: { receiver: 'processor_a', type: 'payment', status: 'PROCESSING' },
  received: { receiver: 'processor_a', type: 'payment', status: 'PROCESSING' },
  authorized: { receiver: 'processor_a', type: 'payment', status: 'AUTHORISED' },
  captured: { receiver: 'processor_a', type: 'payment', status: 'CAPTURED' },
  settled: { receiver: 'processor_a', type: 'payment', status: 'SETTLED' },
  failed: { receiver: 'processor_a', type: 'payment', status: 'REFUSED' },
  settlement_batch: { receiver: 'processor_a', type: 'settlement_batch', status: 'SETTLEMENT_READY' },
  refunded: { receiver: 'processor_a-refund', type: 'refund', status: 'REFUNDED' },
  refund_declined: { receiver: 'processor_a-refund', type: 'refund', status: 'REFUND_FAILED' },
  charged_back: { receiver: 'processor_a-chargeback', type: 'chargeback', status: 'CHARGEBACK' },
  second_presentment: { receiver: 'processor_a-chargeback', type: 'chargeback', status: 'SECOND_PRESENTMENT' },
  chargeback_won: { receiver: 'processor_a-chargeback', type: 'chargeback', status: 'CHARGEBACK_REVERSED' },
  chargeback_lost: { receiver: 'processor_a-chargeback', type: 'chargeback', status: 'CHARGEBACK_CONFIRMED' },
  authenticated: { receiver: 'processor_a3ds', type: 'authentication', status: 'AUTHENTICATED' },
  authentication_failed: { receiver: 'processor_a3ds', type: 'authentication', status: 'AUTHENTICATION_FAILED' },
};

/** JSON with `X-Signature`; 3-D Secure results by query or form, each signed in its own way. */
export function renderCallback(notice: Notice, secret: string): OutgoingCallback {
  if (notice.event === 'challenge_answered') return renderForm(notice, secret);
  const form = FORMS[notice.event];
  return form.receiver === 'processor_a3ds' ? renderQuery(notice, form, secret) : renderJson(notice, form, secret);
}

function renderJson(notice: Notice, { receiver, type, status }: Form, secret: string): OutgoingCallback {
  const body = JSON.stringify({
    eventId: notice.eventId,
    type,
    status,
    ...(type === 'settlement_batch'
      ? { batchId: notice.batchId, count: notice.count }
      : {
          reference: notice.reference,
          paymentReference: type === 'refund' ? notice.paymentReference : undefined,
          paymentId: type === 'refund' ? undefined : notice.processorReference,
          refundId: type === 'refund' ? notice.processorReference : undefined,
          caseId: type === 'chargeback' ? notice.caseId : undefined,
          ...amountFields(notice),
        }),
    refusalReason: status === 'REFUSED' && notice.reason ? reasonWord(notice.reason) : undefined,
    reason: status === 'CHARGEBACK' && notice.reason ? reasonWord(notice.reason) : undefined,
    occurredAt: notice.occurredAt,
  });
  return jsonCallback(receiver, body, { 'x-signature': sign(body, secret) });
}

/** The signature covers the parameters as they are sent, sorted by name. */
function renderQuery(notice: Notice, { receiver, status }: Form, secret: string): OutgoingCallback {
  const sorted = parametersOf([
    ['amount', amountFields(notice).amount],
    ['currency', notice.currency],
    ['eventId', notice.eventId],
    ['occurredAt', notice.occurredAt],
    ['paymentId', notice.processorReference],
    ['reference', notice.reference],
    ['status', status],
    ['transStatus', notice.event === 'authenticated' ? 'Y' : 'N'],
  ]);
  return { method: 'GET', receiver, headers: {}, query: `${sorted}&signature=${sign(sorted, secret)}` };
}

function renderForm(notice: Notice, secret: string): OutgoingCallback {
  const body = new URLSearchParams({ cres: notice.cres ?? '' }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-signature': sign(body, secret) };
  return { method: 'POST', receiver: '3ds', headers, body };
}

/** The callback names the update and holds no card data. */
export function renderCardChange({ id, reference, kind }: CardChange, secret: string): OutgoingCallback {
  const body = JSON.stringify({
    eventId: `evt_${id}`,
    type: 'card_update',
    status: kind === 'closed' ? 'CARD_CLOSED' : 'CARD_UPDATED',
    reference,
    updateId: id,
    occurredAt: new Date().toISOString(),
  });
  return jsonCallback('processor_a', body, { 'x-signature': sign(body, secret) });
}

function amountFields(notice: Notice): { amount?: string; currency?: string } {
  return amountIn(notice, (minor, currency) => ({ amount: formatAmount(minor, currency), currency })) ?? {};
}

function sign(content: string, secret: string): string {
  return createHmac('sha256', secret).update(content).digest('hex');
}
