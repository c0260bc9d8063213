import { continueAsNew, setHandler, uuid4 } from '@temporalio/workflow';
import type { Intervention, PaymentInput, PaymentView } from '../src/domain/flows';
import { evenWhenCancelled, instant, instantIn, isLong, show, startedAs, Turns, tell, wait } from './flow';
import { LABELS } from './labels';
import { settleLateCallback } from './late-callback';
import { local, locally } from './options';
import { refuseUpdate } from './refusals';
import {
  callbackArrived,
  cancel,
  cancelNow,
  capture,
  currentView,
  due,
  proceed,
  resolveUnknown,
  retryNow,
} from './signals';

const OPEN = new Set(['initiated', 'pending', 'requires_action', 'authorized']);

/**
 * One payment from submission until it is captured or has ended without money. It waits for the payer, the merchant
 * or the processor. When the outcome is unknown it asks the processor; it never decides an outcome by itself.
 */
export function payment(input: PaymentInput): Promise<PaymentView> {
  return evenWhenCancelled(() => runPayment(input));
}

/** Runs a payment, for a merchant or for a wallet. */
export async function runPayment(input: PaymentInput): Promise<PaymentView> {
  const callbacks: string[] = [];
  const interventions: Intervention[] = [];
  const turns = new Turns();
  let view: PaymentView | undefined;
  let changes = 0;
  let isOrdered = false;
  let isDue = false;
  let end: PaymentView | undefined;
  let tries = input.tries ?? 0;

  const take = (step: () => Promise<PaymentView>) =>
    turns.take(async () => {
      const before = view;
      view = await step();
      changes += 1;
      if (before?.status !== view.status) tries = 0;
      const shown = view;
      show(shown, (since) => sentence(shown, since));
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
  setHandler(proceed, (ended) => {
    if (ended) end = ended;
    else isOrdered = true;
  });
  setHandler(due, () => {
    isDue = true;
  });
  // Histories of the versions before 0.2 hold such updates; new ones are rejected (refusals.ts).
  setHandler(capture, (order) => take(() => local.capturePayment(input, order)), {
    validator: (_order) => refuseUpdate(),
  });
  setHandler(cancel, (order) => take(() => local.cancelPayment(input, order)), {
    validator: (_order) => refuseUpdate(),
  });

  const { view: begun, ...rest } = input;
  if (begun) startedAs(begun);
  let current = await take(async () => begun ?? local.submitPayment(input));
  while (OPEN.has(current.status) || callbacks.length > 0 || !turns.idle) {
    const isCalled = () => callbacks.length > 0 || interventions.length > 0 || isOrdered || isDue || end !== undefined;
    if (turns.idle && !isCalled() && isLong()) await continueAsNew<typeof payment>({ ...rest, tries });
    const seen = changes;
    const until = deadline(current, input);
    const woken = await wait(() => isCalled() || changes > seen, until, LABELS_OF_WAITING[reasonOf(current)]);
    if (end) {
      const known = end;
      end = undefined;
      current = await take(async () => known);
    } else if (isOrdered) {
      isOrdered = false;
      current = await take(() => local.proceedPayment(input));
    } else if (callbacks.length > 0) {
      const inboxId = callbacks.shift()!;
      current = await take(() => local.applyPaymentCallback(input, inboxId));
      const { status } = current;
      if (current.callbackIsLate)
        await settleLateCallback({ inboxId }, (sentence) => tell(status, 'provider', sentence));
    } else if (interventions.length > 0) {
      const intervention = interventions.shift()!;
      current = await take(() => local.intervene(input, intervention, `can_${uuid4()}`));
    } else if (woken && !isDue) {
      current = view!;
    } else if (isDue && current.waitsFor === 'provider') {
      // It has moved on since: the processor is asked in time.
      isDue = false;
    } else if (current.waitsFor === 'provider') {
      tries += 1;
      current = await take(() => local.inquirePayment(input, tries));
    } else {
      isDue = false;
      tries += 1;
      const label = LABELS_OF_EXPIRY[reasonOf(current)];
      current = await take(() => locally(label).expirePayment(input, tries));
    }
  }
  return current;
}

/** How long to wait before the flow acts by itself, in milliseconds. Undefined: it only waits. */
function deadline(view: PaymentView, { isWokenWhenDue }: PaymentInput): number | undefined {
  if (!OPEN.has(view.status)) return undefined;
  if (view.waitsFor === 'provider') return view.askAgainMs;
  if (isWokenWhenDue) return undefined;
  const nextMs = view.checkAtMs ?? view.waitsUntilMs;
  return nextMs === undefined ? undefined : Math.max(1_000, nextMs - Date.now());
}

/** What a waiting flow does when the time is up. */
type Reason = 'ask' | 'check_payer' | 'end_payer' | 'end_merchant';

function reasonOf(view: PaymentView): Reason {
  if (view.waitsFor === 'merchant') return 'end_merchant';
  if (view.waitsFor !== 'payer') return 'ask';
  return view.checkAtMs === undefined ? 'end_payer' : 'check_payer';
}

const LABELS_OF_WAITING: Record<Reason, string> = {
  ask: 'until the processor is asked again',
  check_payer: 'until the processor is asked about the payer',
  end_payer: 'until the time of the payer is up',
  end_merchant: 'until the authorization expires',
};

const LABELS_OF_EXPIRY: Record<Reason, string> = {
  ask: LABELS.expirePayment,
  check_payer: 'Ask the processor while the payer takes time',
  end_payer: 'Time is up: ask the processor, cancel there and end the payment',
  end_merchant: 'Time is up: ask the processor, release the authorization there and end the payment',
};

function sentence(view: PaymentView, since: string): string {
  const until = view.waitsUntilMs ? `, until ${instant(view.waitsUntilMs)}` : '';
  const next = {
    nobody: 'Nothing more will happen here.',
    payer: `Waits for the payer since ${since}${until}; then the processor is asked and the payment expires.`,
    merchant: `Waits for a capture or cancel since ${since}${until}; then the authorization is released.`,
    provider: `Waits for the processor since ${since}; it is asked again at ${instantIn(view.askAgainMs ?? 0)}.`,
  }[view.waitsFor];
  const review = view.review ? ` **For review: ${view.review}.**` : '';
  return `**${view.status}** (${view.resultCode}): ${view.detail} ${next}${review}`;
}
