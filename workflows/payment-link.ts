import { condition, continueAsNew, setHandler } from '@temporalio/workflow';
import type { PaymentLinkInput, PaymentLinkView } from '../src/domain/payment-link-flow';
import { evenWhenCancelled, instant, isLong, show } from './flow';
import { local } from './options';
import { currentView, proceed } from './signals';

/**
 * One payment link. What was decided, paid or is due stands in Postgres; the flow looks whenever it is told to, and shows
 * how the link stands. It has no timer of its own.
 */
export function paymentLink(input: PaymentLinkInput): Promise<PaymentLinkView> {
  return evenWhenCancelled(() => run(input));
}

async function run(input: PaymentLinkInput): Promise<PaymentLinkView> {
  let rung = false;
  let view: PaymentLinkView | undefined;
  setHandler(currentView, () => view);
  setHandler(proceed, () => {
    rung = true;
  });
  for (;;) {
    rung = false;
    const current = await local.lookAtPaymentLink(input);
    view = current;
    if (rung) continue;
    show({ ...current, waitsFor: waitsFor(current) }, (since) => sentence(current, since));
    if (current.ended) return current;
    if (isLong()) await continueAsNew<typeof paymentLink>(input);
    await condition(() => rung);
  }
}

function waitsFor({ status, ended }: PaymentLinkView): string {
  if (ended) return 'nobody';
  return status === 'pending_approval' ? 'tenant_admin' : 'payer';
}

function sentence({ status, detail, untilMs, ended }: PaymentLinkView, since: string): string {
  if (ended) return `**${status}** since ${since}: ${detail} Nothing more will happen here.`;
  const until = untilMs === undefined ? '' : ` until ${instant(untilMs)}`;
  if (status === 'pending_approval') return `**${status}**: waits since ${since} for an approval${until}.`;
  if (status === 'disabled') return `**${status}** since ${since}: ${detail} It can be enabled${until}.`;
  return `**${status}** since ${since}: ${detail} Waits for buyers${until}.`;
}
