import { sleep } from '@temporalio/workflow';
import type { CallbackView, LateCallbackInput } from '../src/domain/flows';
import { evenWhenCancelled, instant, instantIn, tell } from './flow';
import { local } from './options';

/** A callback for a flow that has ended. */
export function lateCallback(input: LateCallbackInput): Promise<CallbackView> {
  return evenWhenCancelled(() => run(input));
}

async function run(input: LateCallbackInput): Promise<CallbackView> {
  const view = await settleLateCallback(input, (sentence) => tell('returning', 'provider', sentence));
  tell(view.state, view.state === 'flagged' ? 'operator' : 'nobody', `${view.detail}.`);
  return view;
}

/** Returns late money to the payer, even if the processor takes long. `waiting` is told while it does. */
export async function settleLateCallback(
  input: LateCallbackInput,
  waiting: (sentence: string) => void,
): Promise<CallbackView> {
  let view = await local.applyLateCallback(input);
  const since = instant(Date.now());
  for (let tries = 0; view.askAgainMs !== undefined; tries += 1) {
    const pauseMs = Math.min(view.askAgainMs * 2 ** Math.min(tries, 10), 600_000);
    waiting(`${view.detail}. Waits for the processor since ${since}; it is asked again at ${instantIn(pauseMs)}.`);
    await sleep(pauseMs, { summary: 'until the processor is asked again' });
    view = await local.applyLateCallback(input);
  }
  return view;
}
