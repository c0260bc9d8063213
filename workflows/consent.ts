import { continueAsNew, setHandler } from '@temporalio/workflow';
import type { ConsentInput, ConsentView } from '../src/domain/consent-flow';
import { evenWhenCancelled, instant, isLong, show, wait } from './flow';
import { local } from './options';
import { currentView, proceed } from './signals';

/**
 * One consent of open banking, from its request until it ends. What was decided stands in Postgres, and takes effect there;
 * the flow looks whenever it is told to, reminds the customer, and ends the consent when its time is up.
 */
export function consent(input: ConsentInput): Promise<ConsentView> {
  return evenWhenCancelled(() => run(input));
}

async function run(input: ConsentInput): Promise<ConsentView> {
  let rung = false;
  let view: ConsentView | undefined;
  setHandler(currentView, () => view);
  setHandler(proceed, () => {
    rung = true;
  });
  for (;;) {
    rung = false;
    const current = await local.lookAtConsent(input);
    view = current;
    if (rung) continue;
    show({ ...current, waitsFor: waitsFor(current) }, () => sentence(current));
    if (current.ended) return current;
    if (isLong()) await continueAsNew<typeof consent>(input);
    await wait(() => rung, current.nextInMs, 'until a reminder, or the end of its time');
  }
}

function waitsFor({ status }: ConsentView): string {
  return status === 'AwaitingAuthorisation' ? 'customer' : 'nobody';
}

function sentence({ status, detail, sinceMs, untilMs, ended }: ConsentView): string {
  const since = `**${status}** since ${instant(sinceMs)}: ${detail}`;
  if (ended) return `${since} Nothing more will happen here.`;
  return untilMs === undefined ? since : `${since} It expires at ${instant(untilMs)}.`;
}
