import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { amountIn, isOfRefund, type Notice, type NoticeEvent, type OutgoingCallback } from '../../notice';
import { minor, reasonWord } from './wire';

const EVENTS: Record<NoticeEvent, string> = {
  authorized: 'order.reserved',
  captured: 'order.succeeded',
  settled: 'order.paid_out',
  failed: 'order.rejected',
  refunded: 'refund.completed',
  refund_declined: 'refund.failed',
  charged_back: 'dispute.opened',
  second_presentment: 'dispute.represented',
  chargeback_won: 'dispute.won',
  chargeback_lost: 'dispute.lost',
  authenticated: 'order.processing',
  authentication_failed: 'order.rejected',
  challenge_answered: 'order.processing',
  processing: 'order.processing',
  received: 'order.processing',
  settlement_batch: 'payout.closed',
};

/** A POST whose body is a compact JWS: ES256 under the processor's key. */
export function renderCallback(notice: Notice, privateKey: string): OutgoingCallback {
  const { event } = notice;
  const claims = {
    iss: 'processor-f',
    jti: notice.eventId,
    iat: Math.floor(Date.parse(notice.occurredAt) / 1_000),
    event: EVENTS[event],
    data:
      event === 'settlement_batch'
        ? { payoutId: notice.batchId, entries: notice.count }
        : {
            merchantReference: notice.reference,
            orderReference: notice.paymentReference,
            [isOfRefund(notice) ? 'refundId' : 'orderId']: notice.processorReference,
            amount: amountIn(notice, minor),
            reason: notice.reason && reasonWord(notice.reason),
            disputeId: notice.caseId,
          },
  };
  const headers = { 'content-type': 'application/jose' };
  return { method: 'POST', receiver: 'processor_f', headers, body: compact(claims, privateKey) };
}

function compact(claims: object, privateKey: string): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'ES256', typ: 'JWT', kid: 'processor-f-1' })}.${encode(claims)}`;
  const key = createPrivateKey(privateKey);
  return `${signed}.${sign('SHA256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** A private key as processor F signs with, PEM. */
export function makeKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
