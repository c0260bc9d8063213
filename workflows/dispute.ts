import { setHandler } from '@temporalio/workflow';
import type { DisputeInput, DisputeView } from './contract';
import { show, throughout, wait } from './flow';
import { local } from './options';
import { callbackArrived, currentView } from './signals';

/** One dispute from the chargeback until it is won or lost. */
export function dispute(input: DisputeInput): Promise<DisputeView> {
  return throughout(() => run(input));
}

async function run(input: DisputeInput): Promise<DisputeView> {
  const callbacks: string[] = [];
  let view: DisputeView = { status: 'open', detail: 'opening' };
  setHandler(currentView, () => view);
  setHandler(callbackArrived, (inboxId) => {
    callbacks.push(inboxId);
  });
  while (view.status === 'open') {
    await wait(() => callbacks.length > 0, undefined);
    view = await local.applyDisputeCallback(input, callbacks.shift()!);
    show(view.status, view.status === 'open' ? 'provider' : 'nobody', `**${view.status}**: ${view.detail}.`);
  }
  return view;
}
