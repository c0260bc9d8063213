import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import type { NotificationsInput, NotificationsView } from '../src/domain/flows';
import { evenWhenCancelled, instant, instantIn, tell, wait } from './flow';
import { deliver } from './options';
import { currentView, proceed } from './signals';

/** After this many rounds the flow goes on as a new run, unless the engine has asked for one earlier. */
const ROUNDS = 500;

/**
 * Delivers the notifications for one merchant server until none is left. Postgres says which one comes next and when it is
 * tried again. Each server has a flow of its own, so that a slow one does not delay the others.
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
