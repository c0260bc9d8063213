import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import type { PaymentLinkInput, PaymentLinkView } from '../src/domain/flows';
import { evenWhenCancelled, instantIn, show, wait } from './flow';
import { local } from './options';
import { currentView, proceed } from './signals';

/** Looks after which the flow goes on as a new run, should the engine not have asked for it before. */
const LOOKS = 500;

/**
 * One payment link: it waits for an approval until its time is up. What was decided stands in Postgres; the flow acts on
 * it whenever it is woken.
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
  for (let looks = 1; ; looks += 1) {
    rung = false;
    const current = await local.lookAtPaymentLink(input);
    view = current;
    if (rung && !current.ended) continue;
    show({ ...current, waitsFor: current.ended ? 'nobody' : 'tenant_admin' }, (since) => sentence(current, since));
    if (current.ended) return current;
    await wait(() => rung, current.nextInMs, 'until its time is up');
    if (looks >= LOOKS || workflowInfo().continueAsNewSuggested) await continueAsNew<typeof paymentLink>(input);
  }
}

function sentence({ status, nextInMs, ended }: PaymentLinkView, since: string): string {
  if (ended) return `**${status}** since ${since}. Nothing more will happen here.`;
  const until = nextInMs === undefined ? '' : `, until ${instantIn(nextInMs)}; then it expires`;
  return `**${status}**: waits since ${since} for an approval${until}.`;
}
