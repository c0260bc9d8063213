import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import type { ActivationInput, ActivationView } from '../src/domain/flows';
import { evenWhenCancelled, instantIn, show, wait } from './flow';
import { local } from './options';
import { currentView, proceed } from './signals';

/** After this many looks the flow goes on as a new run, unless the engine has asked for one earlier. */
const LOOKS = 500;

/**
 * One application of a merchant to go live. The flow tries the merchant's callback, waits for the decision of operators and
 * reminds them. The decision is stored in Postgres; the flow acts on it whenever it is woken.
 */
export function activation(input: ActivationInput): Promise<ActivationView> {
  return evenWhenCancelled(() => run(input));
}

async function run(input: ActivationInput): Promise<ActivationView> {
  let rung = false;
  let view: ActivationView | undefined;
  setHandler(currentView, () => view);
  setHandler(proceed, () => {
    rung = true;
  });
  for (let looks = 1; ; looks += 1) {
    rung = false;
    const current = await local.lookAtActivation(input);
    view = current;
    if (rung && !current.ended) continue;
    show({ ...current, waitsFor: current.ended ? 'nobody' : 'operator' }, (since) => sentence(current, since));
    if (current.ended) return current;
    await wait(() => rung, current.nextInMs, 'until operators are reminded');
    if (looks >= LOOKS || workflowInfo().continueAsNewSuggested) await continueAsNew<typeof activation>(input);
  }
}

function sentence({ status, detail, nextInMs, ended }: ActivationView, since: string): string {
  if (ended) return `**${status}** since ${since}: ${detail} Nothing more will happen here.`;
  const then = nextInMs === undefined ? '' : ` Operators are reminded at ${instantIn(nextInMs)}.`;
  return `**${status}**: ${detail} Waits since ${since} for an operator to approve or reject it.${then}`;
}
