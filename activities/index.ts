import { callbackActivities } from './callbacks';
import type { Dependencies } from './dependencies';
import { disputeActivities } from './disputes';
import { withFailures } from './failures';
import { paymentActivities } from './payments';
import { refundActivities } from './refunds';
import { settlementActivities } from './settlements';

/** Every activity the workers run, over the given dependencies. */
export function createActivities(deps: Dependencies) {
  const payments = paymentActivities(deps);
  const refunds = refundActivities(deps);
  const { settlePayment, readPaymentView, ...paymentSteps } = payments;
  const { settleRefund, ...refundSteps } = refunds;
  return withFailures({
    ...paymentSteps,
    ...refundSteps,
    ...callbackActivities(deps, payments, refunds),
    ...settlementActivities(deps),
    ...disputeActivities(deps),
  });
}

export type Activities = ReturnType<typeof createActivities>;
