import { Merchant } from '../merchant';
import type { Command } from './command';
import { Feed, lineOf, reasonOf } from './feed';

export const tail: Command = {
  usage: 'tail [--payment ID] [--json]',
  summary: 'print what happens to payments, as it happens',
  flags: `  --payment ID            only this payment's events
  --json                  each event as one line of JSON`,
  options: { payment: { type: 'string' }, json: { type: 'boolean' } },
  async run({ account, flags, signal, say, note }) {
    const feed = await Feed.open(new Merchant(account()), note);
    note('Waiting for events. Ctrl-C ends.');
    for await (const events of feed.follow(signal))
      for (const event of events) {
        if (flags.payment && event.data.paymentId !== flags.payment) continue;
        say(flags.json ? JSON.stringify(event) : `${lineOf(event)}  ${reasonOf(event)}`);
      }
    return 0;
  },
};
