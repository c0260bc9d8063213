import { lookAtPaymentLink } from '../src/commerce/payment-links/steps';
import type { PaymentLinkInput } from '../src/domain/flows';
import type { Dependencies } from './dependencies';

/** The steps of the flows of src/commerce, under the names that stand in recorded histories. */
export function commerceActivities(deps: Dependencies) {
  return {
    lookAtPaymentLink: (input: PaymentLinkInput) => lookAtPaymentLink(deps, input),
  };
}
