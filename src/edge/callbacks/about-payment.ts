import type { CallbackEffect } from '../../domain/callback';
import type { PaymentInput, PaymentView } from '../../domain/flows';
import type { Authorizing } from '../../money/payments/steps/authorize';
import { hearPaymentCallback } from '../../money/payments/steps/callback';
import { readPaymentHearing, readPaymentView } from '../../money/payments/steps/flow-view';
import { type Inbox, inTodaysWords } from './inbox';
import { effectOf, type Heard, noteEffect } from './take-effect';

/** What a callback does to the payment that it is about, by a step of its flow. As `takeEffect`. */
export async function applyPaymentCallback(
  deps: Authorizing,
  inbox: Inbox,
  input: PaymentInput,
  inboxId: string,
): Promise<PaymentView> {
  return noteEffect(inbox, inboxId, await hearAboutPayment(deps, input, inboxId, true));
}

/**
 * Lets a payment hear a callback, once; both are read in one round trip. What became of the callback is left to note, unless
 * `notes` and it is noted with what it changes. Throws `not_found` for a callback that was never stored.
 */
export async function hearAboutPayment(
  deps: Authorizing,
  input: PaymentInput,
  inboxId: string,
  notes: boolean,
): Promise<CallbackEffect<PaymentView>> {
  const { heard, ...standing } = await readPaymentHearing<Heard>(deps, input, inboxId);
  return effectOf(
    heard && inTodaysWords(heard),
    (callback) => hearPaymentCallback(deps, input, callback, { ...standing, notes }),
    () => readPaymentView(deps, input),
  );
}
