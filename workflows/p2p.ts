import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import type { P2pInput, P2pView } from '../src/domain/flows';
import { evenWhenCancelled, instant, show, wait } from './flow';
import { local } from './options';
import { currentView, proceed } from './signals';

/** After this many looks the flow goes on as a new run, unless the engine has asked for one earlier. */
const LOOKS = 500;

/**
 * A transfer between customers that waits to be accepted or for somebody to join, or a request for money that waits for
 * an answer. A decision moves the money in one transaction and wakes the flow. Without a decision the flow ends it in time.
 */
export function p2p(input: P2pInput): Promise<P2pView> {
  return evenWhenCancelled(() => run(input));
}

async function run(input: P2pInput): Promise<P2pView> {
  let rung = false;
  let view: P2pView | undefined;
  setHandler(currentView, () => view);
  setHandler(proceed, () => {
    rung = true;
  });
  for (let looks = 1; ; looks += 1) {
    rung = false;
    const current = await local.lookAtP2p(input);
    view = current;
    if (rung) continue;
    show(current, (since) => sentence(current, since));
    if (current.ended) return current;
    await wait(() => rung, current.nextInMs, 'until it is looked at again, or expires');
    if (looks >= LOOKS || workflowInfo().continueAsNewSuggested) await continueAsNew<typeof p2p>(input);
  }
}

function sentence({ status, sinceMs, detail, waitsFor, waitsUntilMs, ended }: P2pView, since: string): string {
  if (ended) return `**${status}** since ${instant(sinceMs)}: ${detail} Nothing more will happen here.`;
  const whom = {
    nobody: 'Waits for nobody.',
    recipient: `Waits for the recipient since ${since}.`,
    invited: `Waits since ${since} for the invited person to join.`,
    payer: `Waits for the payer since ${since}.`,
  }[waitsFor];
  const next =
    waitsFor === 'payer' ? 'expires without money having moved' : 'expires, and the money returns to the sender';
  const until = waitsUntilMs === undefined ? '' : ` At ${instant(waitsUntilMs)} it ${next}.`;
  return `**${status}**: ${detail} ${whom}${until}`;
}
