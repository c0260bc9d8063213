import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import type { VerificationInput, VerificationView } from '../src/domain/flows';
import { evenWhenCancelled, instant, instantIn, show, wait } from './flow';
import { local } from './options';
import { currentView, proceed } from './signals';

/** After this many looks the flow goes on as a new run, unless the engine has asked for one earlier. */
const LOOKS = 500;

/**
 * The verification of one customer, round after round: it waits for documents and for those who review them, and watches
 * over the expiry of what was verified. Decisions are stored in Postgres; the flow acts on them whenever it is woken.
 */
export function verification(input: VerificationInput): Promise<VerificationView> {
  return evenWhenCancelled(() => run(input));
}

async function run(input: VerificationInput): Promise<VerificationView> {
  let rung = false;
  let view: VerificationView | undefined;
  setHandler(currentView, () => view);
  setHandler(proceed, () => {
    rung = true;
  });
  for (let looks = 1; ; looks += 1) {
    rung = false;
    const current = await local.lookAtVerification(input);
    view = current;
    if (rung) continue;
    show(current, (since) => sentence(current, since));
    if (current.ended) return current;
    await wait(() => rung, current.nextInMs, 'until a document is reminded of, or expires');
    if (looks >= LOOKS || workflowInfo().continueAsNewSuggested) await continueAsNew<typeof verification>(input);
  }
}

function sentence(view: VerificationView, waitsSince: string): string {
  const { status, sinceMs, detail, waitsFor, nextInMs, ended } = view;
  const since = sinceMs === undefined ? '' : ` since ${instant(sinceMs)}`;
  const next = {
    nobody: 'Waits for nobody.',
    customer: `Waits since ${waitsSince} for the customer to bring documents.`,
    tenant_admin: `Waits since ${waitsSince} for a tenant admin to decide.`,
  }[waitsFor];
  if (ended) return `**${status}**${since}: ${detail} Nothing more will happen here.`;
  const then = nextInMs === undefined ? '' : ` A document is reminded of, or expires, at ${instantIn(nextInMs)}.`;
  return `**${status}**${since}: ${detail} ${next}${then}`;
}
