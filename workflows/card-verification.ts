import { setHandler } from '@temporalio/workflow';
import type { CardVerificationInput, CardVerificationView } from '../src/domain/flows';
import { evenWhenCancelled, instant, instantIn, show, wait } from './flow';
import { local, locally } from './options';
import { callbackArrived, currentView } from './signals';

const OPEN = new Set(['initiated', 'pending', 'requires_action']);

/**
 * The verification of one card by an authorization of zero. The flow waits for the customer's 3-D Secure, or asks the
 * processor until the outcome is known. The step that learns that the card is good saves it.
 */
export function cardVerification(input: CardVerificationInput): Promise<CardVerificationView> {
  return evenWhenCancelled(() => run(input));
}

async function run(input: CardVerificationInput): Promise<CardVerificationView> {
  const callbacks: string[] = [];
  let view: CardVerificationView | undefined;
  setHandler(currentView, () => view);
  setHandler(callbackArrived, (inboxId) => {
    callbacks.push(inboxId);
  });
  let tries = 0;
  let next = await local.submitCardVerification(input);
  for (;;) {
    const current = next;
    view = current;
    show(current, (since) => sentence(current, since));
    if (!OPEN.has(view.status) && callbacks.length === 0) return view;
    await wait(() => callbacks.length > 0, OPEN.has(view.status) ? view.askAgainMs : 1, AGAIN);
    const inboxId = callbacks.shift();
    tries = inboxId ? 0 : tries + 1;
    if (inboxId) next = await local.applyCardVerificationCallback(input, inboxId);
    else if (view.waitsFor === 'payer') next = await locally(expiryOf(view)).expireCardVerification(input, tries);
    else next = await local.inquireCardVerification(input, tries);
  }
}

const AGAIN = 'until the processor is asked again';

/** The label of `expireCardVerification`: most often that step only asks. */
function expiryOf({ waitsUntilMs }: CardVerificationView): string {
  const isOver = waitsUntilMs !== undefined && waitsUntilMs <= Date.now() + 1_000;
  return isOver
    ? 'Time is up: ask the processor, cancel there and end the card check'
    : 'Ask the processor while the customer takes time';
}

function sentence(view: CardVerificationView, since: string): string {
  const { status, detail, waitsFor, waitsUntilMs, askAgainMs } = view;
  const next = {
    nobody: 'Nothing more will happen here.',
    payer: `Waits for the customer since ${since}, until ${instant(waitsUntilMs ?? 0)}.`,
    provider: `Waits for the processor since ${since}; it is asked again at ${instantIn(askAgainMs ?? 0)}.`,
  }[waitsFor];
  return `**${status}**: ${detail} ${next}`;
}
