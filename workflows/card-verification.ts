import { setHandler } from '@temporalio/workflow';
import type { CardVerificationInput, CardVerificationView } from '../src/domain/flows';
import { show, throughout, wait } from './flow';
import { local } from './options';
import { callbackArrived, currentView } from './signals';

const OPEN = new Set(['initiated', 'pending', 'requires_action']);

/**
 * The verification of one card by an authorization of zero: it waits for the customer's 3-D Secure, or asks the
 * processor for as long as the outcome is not known. The step that learns that the card is good saves it.
 */
export function cardVerification(input: CardVerificationInput): Promise<CardVerificationView> {
  return throughout(() => run(input));
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
    view = next;
    show(view.status, view.waitsFor, sentence(view));
    if (!OPEN.has(view.status) && callbacks.length === 0) return view;
    await wait(() => callbacks.length > 0, OPEN.has(view.status) ? view.askAgainMs : 1);
    const inboxId = callbacks.shift();
    tries = inboxId ? 0 : tries + 1;
    if (inboxId) next = await local.applyCardVerificationCallback(input, inboxId);
    else if (view.waitsFor === 'payer') next = await local.expireCardVerification(input, tries);
    else next = await local.inquireCardVerification(input, tries);
  }
}

function sentence({ status, detail, waitsFor, waitsUntilMs, askAgainMs }: CardVerificationView): string {
  const next = {
    nobody: 'Nothing more will happen here.',
    payer: `Waits for the customer until ${new Date(waitsUntilMs ?? 0).toISOString()}.`,
    provider: `Waits for the processor; it is asked again in ${Math.round((askAgainMs ?? 0) / 1000)} s.`,
  }[waitsFor];
  return `**${status}**: ${detail} ${next}`;
}
