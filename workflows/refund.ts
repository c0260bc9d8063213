import { continueAsNew, setHandler } from '@temporalio/workflow';
import type { OperatorNote, RefundInput, RefundView } from '../src/domain/flows';
import { evenWhenCancelled, instantIn, isLong, show, tell, wait } from './flow';
import { local } from './options';
import { callbackArrived, currentView, retryNow } from './signals';

/** One refund until the processor has said yes or no. Its amount is reserved the whole time. */
export function refund(input: RefundInput): Promise<RefundView> {
  return evenWhenCancelled(() => run(input));
}

async function run(input: RefundInput): Promise<RefundView> {
  const callbacks: string[] = [];
  const interventions: OperatorNote[] = [];
  let tries = input.tries ?? 0;
  let view: RefundView | undefined;
  setHandler(currentView, () => view);
  setHandler(callbackArrived, (inboxId) => {
    callbacks.push(inboxId);
  });
  setHandler(retryNow, (note) => {
    interventions.push(note);
  });

  view = await local.submitRefund(input);
  while (view.status === 'pending') {
    if (callbacks.length === 0 && interventions.length === 0 && isLong())
      await continueAsNew<typeof refund>({ ...input, tries });
    const { detail, askAgainMs, review } = view;
    show({ ...view, waitsFor: 'provider' }, (since) => waiting(since, detail, askAgainMs, review));
    await wait(
      () => callbacks.length > 0 || interventions.length > 0,
      askAgainMs,
      'until the processor is asked again',
    );
    const inboxId = callbacks.shift();
    if (inboxId) {
      view = await local.applyRefundCallback(input, inboxId);
      continue;
    }
    const note = interventions.shift();
    if (note) await local.noteRefundIntervention(input, note);
    tries += 1;
    view = await local.inquireRefund(input, tries);
  }
  // A callback that arrived while the refund was ending is treated as a late one.
  while (callbacks.length > 0) await local.applyLateCallback({ inboxId: callbacks.shift()! });
  tell(view.status, 'nobody', `**${view.status}**: ${view.detail} Nothing more will happen here.`);
  return view;
}

function waiting(since: string, detail: string, askAgainMs: number | undefined, review: string | undefined): string {
  const again = askAgainMs === undefined ? '' : `; it is asked again at ${instantIn(askAgainMs)}`;
  return `**pending**: ${detail} Waits for the processor since ${since}${again}.${review ? ` **For review: ${review}.**` : ''}`;
}
