import { createHmac } from 'node:crypto';

/**
 * `Webhook-Signature` of a notification: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">` under the callback secret of
 * the merchant account. The time is part of what is signed, so that an old notification cannot be passed off as new.
 */
export function signatureOf(body: string, secret: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  const digest = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  return `t=${seconds},v1=${digest}`;
}
