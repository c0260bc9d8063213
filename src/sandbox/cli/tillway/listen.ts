import { randomBytes } from 'node:crypto';
import { NotificationSender } from '../../../edge/notifications/sender';
import { OutboundGuard } from '../../../foundation/outbound/guard';
import { Merchant } from '../merchant';
import { baseOf, type Command, UsageError } from './command';
import { Feed, lineOf, type PaymentEvent } from './feed';

const TIMEOUT_MS = 10_000;
const AT_ONCE = 16;

export const listen: Command = {
  usage: 'listen --forward-to URL',
  summary: 'send the notifications of every payment to a server of yours, signed as the real ones',
  flags: `  --forward-to URL        where to: localhost:3000/webhook, or a whole URL
  --callback-secret TEXT  what to sign with; absent: the callback secret of the sandbox's merchant,
                          or with --client-id one made up for this run`,
  remarks: `Each event is sent once, whether or not its payment has a notificationUrl, in order per payment. What is
sent is what a notificationUrl would get; only its id begins with evt_ instead of ntf_.`,
  options: { 'forward-to': { type: 'string' } },
  async run({ flags, signal, say, note, ...invocation }) {
    if (!flags['forward-to']) throw new UsageError('--forward-to is missing');
    const url = baseOf(String(flags['forward-to']), '--forward-to');
    // It runs on the developer's machine, to an address that the developer chose.
    const guard = new OutboundGuard({ sandbox: true });
    const refusal = guard.refusal(url);
    if (refusal) throw new UsageError(`--forward-to ${refusal}`);
    const account = invocation.account();
    const secret = account.callbackSecret ?? randomBytes(24).toString('base64url');
    const sender = new NotificationSender({ guard, timeoutMs: TIMEOUT_MS, connections: AT_ONCE });

    /** Answers the line about it. */
    const forward = async (event: PaymentEvent): Promise<string> => {
      const { id, type, createdAt, data } = event;
      const body = JSON.stringify({ id, type, createdAt, data });
      const { status, error, durationMs } = await sender.send({ id, url, body, secrets: [secret] });
      return `${lineOf(event)}  -> ${[status, error && `(${error})`].filter(Boolean).join(' ')} in ${durationMs} ms`;
    };

    try {
      const feed = await Feed.open(new Merchant(account), note);
      note(`Forwarding to ${url}`);
      note(`Signed with the callback secret ${secret}`);
      note('Waiting for events. Ctrl-C ends.');
      // Payments at once, each one's events one after the other.
      for await (const events of feed.follow(signal))
        await Promise.all(
          [...byPayment(events).values()].map(async (ofOne) => {
            for (const event of ofOne) if (!signal.aborted) say(await forward(event));
          }),
        );
      return 0;
    } finally {
      await sender.close();
    }
  },
};

function byPayment(events: PaymentEvent[]): Map<string, PaymentEvent[]> {
  const payments = new Map<string, PaymentEvent[]>();
  for (const event of events) {
    const { paymentId } = event.data;
    payments.set(paymentId, [...(payments.get(paymentId) ?? []), event]);
  }
  return payments;
}
