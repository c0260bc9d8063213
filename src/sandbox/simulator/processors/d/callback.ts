import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { amountIn, isOfRefund, jsonCallback, type Notice, type NoticeEvent, type OutgoingCallback } from '../../notice';
import { localTime, price, returnCode } from './wire';

const STATUSES: Record<NoticeEvent, string> = {
  authorized: 'held',
  captured: 'charged',
  settled: 'paid-out',
  failed: 'refused',
  refunded: 'refunded',
  refund_declined: 'refund-refuse',
  charged_back: 'disputed',
  second_presentment: 'dispute-answered',
  chargeback_won: 'dispute-won',
  chargeback_lost: 'dispute-lost',
  authenticated: 'working',
  authentication_failed: 'refused',
  challenge_answered: 'working',
  processing: 'working',
  received: 'working',
  settlement_batch: 'statement-closed',
};

/** A JSON body, signed as a whole with the processor's RSA key. */
export function renderCallback(notice: Notice, privateKey: string): OutgoingCallback {
  const { event } = notice;
  const isStatement = event === 'settlement_batch';
  const body = JSON.stringify({
    notice: notice.eventId,
    status: STATUSES[event],
    happened: localTime(notice.occurredAt),
    statement: notice.batchId,
    order: isStatement ? undefined : notice.paymentReference,
    refund: isOfRefund(notice) ? notice.reference : undefined,
    id: notice.processorReference,
    total: amountIn(notice, price),
    return_code: event === 'failed' ? returnCode(notice.reason) : undefined,
    dispute: notice.caseId,
    reason: event === 'charged_back' ? notice.reason?.replaceAll('_', '-') : undefined,
  });
  const signature = sign('RSA-SHA256', Buffer.from(body), createPrivateKey(privateKey)).toString('base64');
  return jsonCallback('processor_dhp', body, { 'signature-rsa': signature });
}

/** A private key as processor D signs with, PEM. */
export function makeKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
