import { setHandler, uuid4 } from '@temporalio/workflow';
import type { Intervention, PaymentInput, PaymentView } from '../src/domain/flows';
import { show, Turns, throughout, wait } from './flow';
import { settleLateCallback } from './late-callback';
import { local } from './options';
import { callbackArrived, cancel, cancelNow, capture, currentView, resolveUnknown, retryNow } from './signals';

const OPEN = new Set(['initiated', 'pending', 'requires_action', 'authorized']);

/**
 * One payment from submission until it is captured or has ended without money. It waits for the payer, the merchant
 * or the provider, and asks the provider whenever it does not know; it never decides an outcome by itself.
 */
export function payment(input: PaymentInput): Promise<PaymentView> {
  return throughout(() => takeThrough(input));
}

/** The run of a payment, whomever it is for. */
export async function takeThrough(input: PaymentInput): Promise<PaymentView> {
  const callbacks: string[] = [];
  const interventions: Intervention[] = [];
  const turns = new Turns();
  let view: PaymentView | undefined;
  let changes = 0;
  let tries = 0;

  const take = (step: () => Promise<PaymentView>) =>
    turns.take(async () => {
      const before = view;
      view = await step();
      changes += 1;
      if (before?.status !== view.status) tries = 0;
      show(view.status, view.review ? 'operator' : view.waitsFor, sentence(view));
      return view;
    });

  setHandler(currentView, () => view);
  setHandler(callbackArrived, (inboxId) => {
    callbacks.push(inboxId);
  });
  setHandler(retryNow, (note) => {
    interventions.push({ ...note, kind: 'retry_now' });
  });
  setHandler(cancelNow, (note) => {
    interventions.push({ ...note, kind: 'cancel' });
  });
  setHandler(resolveUnknown, (note) => {
    interventions.push({ ...note, kind: 'resolve_unknown' });
  });
  setHandler(capture, (order) => take(() => local.capturePayment(input, order)));
  setHandler(cancel, (order) => take(() => local.cancelPayment(input, order)));

  let current = await take(() => local.submitPayment(input));
  while (OPEN.has(current.status) || callbacks.length > 0 || !turns.idle) {
    const seen = changes;
    const until = deadline(current);
    const woken = await wait(() => callbacks.length > 0 || interventions.length > 0 || changes > seen, until);
    if (callbacks.length > 0) {
      const inboxId = callbacks.shift()!;
      current = await take(() => local.applyPaymentCallback(input, inboxId));
      const { status } = current;
      if (current.callbackIsLate)
        await settleLateCallback({ inboxId }, (detail) => show(status, 'provider', `${detail}.`));
    } else if (interventions.length > 0) {
      const intervention = interventions.shift()!;
      current = await take(() => local.intervene(input, intervention, `can_${uuid4()}`));
    } else if (woken) {
      current = view!;
    } else if (current.waitsFor === 'provider') {
      tries += 1;
      current = await take(() => local.inquirePayment(input, tries));
    } else {
      tries += 1;
      current = await take(() => local.expirePayment(input));
    }
  }
  return current;
}

/** How long to wait before acting by ourselves, in milliseconds; undefined while there is nothing to do but wait. */
function deadline(view: PaymentView): number | undefined {
  if (!OPEN.has(view.status)) return undefined;
  if (view.waitsFor === 'provider') return view.askAgainMs;
  const nextMs = view.checkAtMs ?? view.waitsUntilMs;
  return nextMs === undefined ? undefined : Math.max(1_000, nextMs - Date.now());
}

function sentence(view: PaymentView): string {
  const since = `since ${new Date().toISOString()}`;
  const until = view.waitsUntilMs ? `, until ${new Date(view.waitsUntilMs).toISOString()}` : '';
  const next = {
    nobody: 'Nothing more will happen here.',
    payer: `Waits for the payer ${since}${until}; then the provider is asked and the payment expires.`,
    merchant: `Waits for a capture or cancel ${since}${until}; then the authorization is released.`,
    provider: `Waits for the provider ${since}; it is asked again in ${Math.round((view.askAgainMs ?? 0) / 1000)} s.`,
  }[view.waitsFor];
  const review = view.review ? ` **For review: ${view.review}.**` : '';
  return `**${view.status}** (${view.resultCode}): ${view.detail} ${next}${review}`;
}
