import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import type { PayoutInput, PayoutView } from '../src/domain/payout-flow';
import { evenWhenCancelled, instantIn, show, tell, wait } from './flow';
import { local } from './options';
import { callbackArrived, currentView, proceed } from './signals';

/** Looks after which the flow goes on as a new run, should the engine not have asked for it before. */
const LOOKS = 500;

/**
 * One payout: it waits for its time, is sent once, and its processor is asked until it has said how it ended. What was
 * decided stands in Postgres; the flow acts on it whenever it is woken.
 */
export function payout(input: PayoutInput): Promise<PayoutView> {
  return evenWhenCancelled(() => run(input));
}

async function run(input: PayoutInput): Promise<PayoutView> {
  const callbacks: string[] = [];
  let rung = false;
  let view: PayoutView | undefined;
  setHandler(currentView, () => view);
  setHandler(proceed, () => {
    rung = true;
  });
  setHandler(callbackArrived, (inboxId) => {
    callbacks.push(inboxId);
  });
  const before = input.tries ?? 0;
  for (let looks = 0; ; looks += 1) {
    rung = false;
    const inboxId = callbacks.shift();
    const current = inboxId
      ? await local.applyPayoutCallback(input, inboxId)
      : await local.proceedPayout(input, before + looks);
    view = current;
    if (callbacks.length > 0) continue;
    if (current.nextInMs === undefined) {
      tell(current.status, 'nobody', `**${current.status}**: ${current.detail} Nothing more will happen here.`);
      return current;
    }
    show(current, (since) => sentence(current, since));
    await wait(() => rung || callbacks.length > 0, current.nextInMs, label(current));
    if (callbacks.length === 0 && (looks >= LOOKS || workflowInfo().continueAsNewSuggested))
      await continueAsNew<typeof payout>({ ...input, tries: before + looks });
  }
}

function label({ status }: PayoutView): string {
  return status === 'scheduled' ? 'until it is sent' : 'until the processor is asked again';
}

function sentence({ status, detail, nextInMs = 0, review }: PayoutView, since: string): string {
  const next = instantIn(nextInMs);
  if (status === 'scheduled') return `**scheduled**: it will be sent at ${next}. Until then it can be cancelled.`;
  const again = `Waits for the processor since ${since}; it is asked again at ${next}.`;
  return `**${status}**: ${detail} ${again}${review ? ` **For review: ${review}.**` : ''}`;
}
