import { setTimeout as sleep } from 'node:timers/promises';
import { Merchant } from '../merchant';
import { type Command, type Invocation, UsageError } from './command';

interface Notification {
  notificationId: string;
  type: string;
  url: string;
  attempts: { status?: number; error?: string; durationMs: number }[];
}

const NOTIFICATIONS = '/ipg/1.0.0/payment/notifications';
const LOOK_EVERY_MS = 250;
/** Longer than one try may take by default. */
const PATIENCE_MS = 20_000;

export const resend: Command = {
  usage: 'resend ID',
  summary: 'send a notification again, or all of a payment, and tell what came back',
  flags: `  ID                      a notification (ntf_…), or a payment (pay_…): all its notifications, oldest first`,
  remarks: `Exit code 1 when one of them is not taken.`,
  options: {},
  async run(invocation) {
    const { args, account, say, note, signal } = invocation;
    const [id, ...more] = args;
    if (!id || more.length > 0) throw new UsageError('resend takes one ID');
    const merchant = new Merchant(account());
    for (const notification of await wanted(merchant, id)) {
      const line = `${notification.notificationId}  ${notification.type.padEnd(27)} ${notification.url}`;
      await merchant.send('POST', `${NOTIFICATIONS}/${notification.notificationId}/resend`, {});
      const attempt = await nextAttempt(merchant, notification, signal);
      const answer = [attempt?.status, attempt?.error && `(${attempt.error})`].filter(Boolean).join(' ');
      say(`${line}  -> ${attempt ? `${answer} in ${attempt.durationMs} ms` : 'not sent yet'}`);
      if (attempt && !attempt.error) continue;
      // Whatever comes after it in its payment waits for it.
      note('It was not taken. The platform goes on trying, and sends the later ones of its payment after it.');
      return 1;
    }
    return 0;
  },
};

/** Oldest first. */
async function wanted(merchant: Merchant, id: string): Promise<Notification[]> {
  if (!id.startsWith('pay_')) return [await merchant.send('GET', `${NOTIFICATIONS}/${encodeURIComponent(id)}`)];
  const found = await merchant.list<Notification>(`${NOTIFICATIONS}?limit=200&paymentId=${encodeURIComponent(id)}`);
  if (found.length === 0)
    throw new Error(`${id} has no notifications: there is no such payment, or it was made without a notificationUrl`);
  return found.reverse();
}

/** Waits for the try that comes after those we know of; undefined when there is none in time. */
async function nextAttempt(
  merchant: Merchant,
  { notificationId, attempts }: Notification,
  signal: Invocation['signal'],
): Promise<Notification['attempts'][number] | undefined> {
  const endAt = Date.now() + PATIENCE_MS;
  while (Date.now() < endAt && !signal.aborted) {
    const now = await merchant.send<Notification>('GET', `${NOTIFICATIONS}/${notificationId}`);
    if (now.attempts.length > attempts.length) return now.attempts[attempts.length];
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
