import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import type { ActivationInput, ActivationView } from '../src/domain/flows';
import { show, throughout, wait } from './flow';
import { local } from './options';
import { currentView, proceed } from './signals';

/** Looks after which the flow goes on as a new run, should the engine not have asked for it before. */
const LOOKS = 500;

/**
 * One application of a merchant to go live: its callback is tried, it waits for the operators' decision and reminds them
 * of it. What was decided stands in Postgres; the flow acts on it whenever it is woken.
 */
export function activation(input: ActivationInput): Promise<ActivationView> {
  return throughout(() => run(input));
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
    view = await local.lookAtActivation(input);
    if (rung && !view.ended) continue;
    show(view.status, view.ended ? 'nobody' : 'operator', sentence(view));
    if (view.ended) return view;
    await wait(() => rung, view.nextInMs);
    if (looks >= LOOKS || workflowInfo().continueAsNewSuggested) await continueAsNew<typeof activation>(input);
  }
}

function sentence({ status, detail, sinceMs, nextInMs, ended }: ActivationView): string {
  const since = `since ${new Date(sinceMs).toISOString()}`;
  if (ended) return `**${status}** ${since}: ${detail} Nothing more will happen here.`;
  const then =
    nextInMs === undefined ? '' : ` Operators are reminded at ${new Date(Date.now() + nextInMs).toISOString()}.`;
  return `**${status}** ${since}: ${detail} Waits for an operator to approve or reject it.${then}`;
}
