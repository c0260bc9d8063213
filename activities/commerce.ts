import { lookAtPaymentLink } from '../src/commerce/payment-links/steps';
import { hearPayoutCallback, proceedPayout, readPayoutView } from '../src/commerce/payouts/steps';
import type { PaymentLinkInput } from '../src/domain/payment-link-flow';
import type { PayoutInput } from '../src/domain/payout-flow';
import { Inbox } from '../src/edge/callbacks/inbox';
import { takeEffect } from '../src/edge/callbacks/take-effect';
import type { Dependencies } from './dependencies';

/** The steps of the flows of src/commerce, under the names that stand in recorded histories. */
export function commerceActivities(deps: Dependencies) {
  const inbox = new Inbox(deps.database.system);
  return {
    lookAtPaymentLink: (input: PaymentLinkInput) => lookAtPaymentLink(deps, input),

    proceedPayout: (input: PayoutInput, tries: number) => proceedPayout(deps, input, tries),
    applyPayoutCallback: (input: PayoutInput, inboxId: string) =>
      takeEffect(
        inbox,
        inboxId,
        (callback) => hearPayoutCallback(deps, input, callback),
        () => readPayoutView(deps, input),
      ),
  };
}
