import type { PaymentInput, PaymentView } from '../../domain/flows';
import type { Authorizing } from '../../money/payments/steps/authorize';
import { hearPaymentCallback } from '../../money/payments/steps/callback';
import { readPaymentHearing, readPaymentView } from '../../money/payments/steps/flow-view';
import { type Inbox, inTodaysWords } from './inbox';
import { type Heard, takeEffectOf } from './take-effect';

/** What a callback does to the payment that it is about; both are read in one round trip. As `takeEffect`. */
export async function applyPaymentCallback(
  deps: Authorizing,
  inbox: Inbox,
  input: PaymentInput,
  inboxId: string,
): Promise<PaymentView> {
  const { heard, ...standing } = await readPaymentHearing<Heard>(deps, input, inboxId);
  return takeEffectOf(
    inbox,
    heard && inTodaysWords(heard),
    (callback) => hearPaymentCallback(deps, input, callback, standing),
    () => readPaymentView(deps, input),
  );
}
