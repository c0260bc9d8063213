import { randomUUID } from 'node:crypto';
import { Merchant, type PaymentRecord } from '../merchant';
import { baseOf, type Command, UsageError } from './command';
import { Feed, lineOf, reasonOf } from './feed';
import { SCENARIOS, type Scenario } from './scenarios';

const PATIENCE_MS = 60_000;
const CARD = { number: '4111111111111111', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2035', cvv: '123' };

export const trigger: Command = {
  usage: 'trigger EVENT [--notification-url URL]',
  summary: 'make a sandbox payment that brings an event about, and wait for it',
  flags: `  EVENT                   one of those below
  --list                  print them, and what each one does
  --notification-url URL  the payment's notificationUrl`,
  remarks: `Events:
${listed()}`,
  options: { list: { type: 'boolean' }, 'notification-url': { type: 'string' } },
  async run({ args, account, flags, signal, say, note }) {
    if (flags.list) {
      say(listed());
      return 0;
    }
    const [wanted, ...more] = args;
    if (!wanted || more.length > 0) throw new UsageError('trigger takes one EVENT; --list prints them');
    const scenario = SCENARIOS[wanted];
    if (!scenario) throw new UsageError(`there is no event ${wanted}; trigger --list prints them`);

    const url = flags['notification-url'];
    const merchant = new Merchant(account());
    const feed = await Feed.open(merchant, note);
    const payment = await merchant.call<PaymentRecord>('POST', '/payments/h2h/1', {
      merchantTransactionId: `trigger-${randomUUID()}`,
      amount: '10.00',
      currency: 'EUR',
      notificationUrl: url && baseOf(String(url), '--notification-url'),
      card: CARD,
      ...scenario.request,
    });
    const { paymentId } = payment;
    note(`${paymentId}: ${scenario.summary}`);
    const until = deadline(scenario, payment);
    if (scenario.atExpiry)
      note(`The payer has until ${payment.action?.expiresAt}. The event comes whether you wait or not.`);

    let failure: Error | undefined;
    const ended = new AbortController();
    const acting = scenario.act?.(merchant, payment).catch((error: Error) => {
      failure = error;
      ended.abort();
    });
    let seen = false;
    const over = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(Math.max(0, until - Date.now()))]);
    search: for await (const events of feed.follow(over))
      for (const event of events.filter(({ data }) => data.paymentId === paymentId)) {
        say(`${lineOf(event)}  ${reasonOf(event)}`);
        seen = event.type === wanted;
        if (seen) break search;
      }
    if (!signal.aborted) await acting;
    if (failure) throw failure;
    if (!seen && !signal.aborted) note(`${wanted} has not come: npx tillway tail --payment ${paymentId}`);
    return seen ? 0 : 1;
  },
};

/** When to wait no longer, in milliseconds since 1970. */
function deadline({ atExpiry }: Scenario, { action }: PaymentRecord): number {
  const from = atExpiry && action?.expiresAt ? Date.parse(action.expiresAt) : Date.now();
  return from + PATIENCE_MS;
}

function listed(): string {
  return Object.entries(SCENARIOS)
    .map(([type, { summary }]) => `  ${type.padEnd(27)} ${summary}`)
    .join('\n');
}
