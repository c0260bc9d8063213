import { createHmac } from 'node:crypto';

/**
 * `Webhook-Signature` of a notification: `t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body">` under the secret of
 * the endpoint, or the callback secret of the merchant account. The time is part of what is signed, so that an old notification cannot be passed off as new. For
 * a while after a secret was replaced there is a `v1` of each, the newest first: one that fits is enough.
 */
export function signatureOf(body: string, secrets: readonly string[], at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  const digests = secrets.map((secret) => createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex'));
  return [`t=${seconds}`, ...digests.map((digest) => `v1=${digest}`)].join(',');
}
