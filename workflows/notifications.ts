import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import type { NotificationsInput, NotificationsView } from '../src/domain/flows';
import { evenWhenCancelled, instant, instantIn, tell, wait } from './flow';
import { deliver } from './options';
import { currentView, proceed } from './signals';

/** Rounds after which the flow goes on as a new run, should the engine not have asked for it before. */
const ROUNDS = 500;

/**
 * What one merchant server is to be told, delivered until nothing is left. Which notification comes next and when it is
 * tried again stands in Postgres; the flow waits, and lets nobody else's server wait.
 */
export function notifications(input: NotificationsInput): Promise<NotificationsView> {
  return evenWhenCancelled(() => run(input));
}

async function run(input: NotificationsInput): Promise<NotificationsView> {
  let rung = false;
  let view: NotificationsView | undefined;
  setHandler(currentView, () => view);
  setHandler(proceed, () => {
    rung = true;
  });
  for (let rounds = 1; ; rounds += 1) {
    rung = false;
    view = await deliver().deliverNotifications(input);
    if (view.waiting === 0 && !rung) break;
    if (!rung) tell('waiting', 'merchant', sentence(view, input));
    await wait(() => rung, view.nextInMs, 'until the next is tried');
    if (rounds >= ROUNDS || workflowInfo().continueAsNewSuggested) await continueAsNew<typeof notifications>(input);
  }
  tell('delivered', 'nobody', `Nothing waits for ${input.endpoint}.`);
  return view;
}

function sentence({ waiting, oldestAtMs, nextInMs }: NotificationsView, { endpoint }: NotificationsInput): string {
  const since = oldestAtMs === undefined ? '' : `, the oldest since ${instant(oldestAtMs)}`;
  const next = instantIn(nextInMs ?? 0);
  const noun = waiting === 1 ? 'notification waits' : 'notifications wait';
  return `**waiting**: ${waiting} ${noun} for ${endpoint}${since}. The next is tried at ${next}, or when one is sent again.`;
}
