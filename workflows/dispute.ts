import { continueAsNew, setHandler } from '@temporalio/workflow';
import type { DisputeInput, DisputeView, OperatorNote } from '../src/domain/flows';
import { hasEnded } from '../src/domain/states/dispute';
import { evenWhenCancelled, instantIn, isLong, show, wait } from './flow';
import { local } from './options';
import { callbackArrived, currentView, proceed, retryNow } from './signals';

/**
 * One dispute from the chargeback until it is won or lost. It waits for the merchant's evidence until that is due. It waits
 * for the processor without a time limit, and never decides an outcome by itself.
 */
export function dispute(input: DisputeInput): Promise<DisputeView> {
  return evenWhenCancelled(() => run(input));
}

async function run(input: DisputeInput): Promise<DisputeView> {
  const callbacks: string[] = [];
  const notes: OperatorNote[] = [];
  let ordered = false;
  let tries = input.tries ?? 0;
  let view: DisputeView = { status: 'open', detail: 'opening' };
  setHandler(currentView, () => view);
  setHandler(callbackArrived, (inboxId) => {
    callbacks.push(inboxId);
  });
  setHandler(proceed, () => {
    ordered = true;
  });
  setHandler(retryNow, (note) => {
    notes.push(note);
  });
  if (input.tries !== undefined) view = await local.proceedDispute(input, tries);
  while (!hasEnded(view.status) || callbacks.length > 0) {
    if (callbacks.length === 0 && notes.length === 0 && !ordered && isLong())
      await continueAsNew<typeof dispute>({ ...input, tries });
    const woken = await wait(
      () => callbacks.length > 0 || notes.length > 0 || ordered,
      view.askAgainMs,
      view.waitsFor === 'merchant' ? 'until the time for evidence is up' : 'until the processor is asked again',
    );
    const inboxId = callbacks.shift();
    if (inboxId) {
      view = await local.applyDisputeCallback(input, inboxId);
    } else {
      const note = notes.shift();
      if (note) await local.noteDisputeIntervention(input, note);
      ordered = false;
      tries = woken ? 0 : tries + 1;
      view = await local.proceedDispute(input, tries);
    }
    const current = view;
    show({ ...current, waitsFor: waitsFor(current) }, (since) => sentence(current, since));
  }
  return view;
}

function waitsFor(view: DisputeView): NonNullable<DisputeView['waitsFor']> {
  return view.waitsFor ?? (hasEnded(view.status) ? 'nobody' : 'provider');
}

function sentence(view: DisputeView, since: string): string {
  const nextAt = view.askAgainMs === undefined ? undefined : instantIn(view.askAgainMs);
  const next = {
    nobody: 'Nothing more will happen here.',
    merchant: `Waits for the evidence of the merchant since ${since}${nextAt ? `, until ${nextAt}` : ''}; then for the word of the processor.`,
    provider: `Waits for the word of the processor since ${since}${nextAt ? `; it is asked at ${nextAt}` : ''}.`,
    operator: `**For review** since ${since}: look at the payment, then \`retryNow\`.`,
  }[waitsFor(view)];
  return `**${view.status}**: ${view.detail} ${next}`;
}
