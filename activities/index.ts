import { activationActivities } from './activation';
import { callbackActivities } from './callbacks';
import { cardUpdateActivities } from './card-updates';
import { cardVerificationActivities } from './card-verifications';
import type { Dependencies } from './dependencies';
import { disputeActivities } from './disputes';
import { withFailures } from './failures';
import { interventionActivities } from './interventions';
import { operationActivities } from './operations';
import { p2pActivities } from './p2p';
import { paymentSettling } from './payment-settling';
import { paymentActivities } from './payments';
import { reconciliationActivities } from './reconciliation';
import { refundActivities } from './refunds';
import { settlementActivities } from './settlements';
import { verificationActivities } from './verification';

/** Every activity the workers run, over the given dependencies. */
export function createActivities(deps: Dependencies) {
  const settling = paymentSettling(deps);
  const operations = operationActivities(deps, settling);
  const payments = paymentActivities(deps, settling, operations);
  const refunds = refundActivities(deps);
  const { carryOut, ...operationSteps } = operations;
  const settlements = settlementActivities(deps);
  const { settleRefund, ...refundSteps } = refunds;
  return withFailures({
    ...payments,
    ...operationSteps,
    ...interventionActivities(deps, settling, operations, payments),
    ...refundSteps,
    ...callbackActivities(deps, settling, payments, refunds),
    ...settlements,
    ...reconciliationActivities(deps, settlements),
    ...disputeActivities(deps),
    ...verificationActivities(deps),
    ...cardVerificationActivities(deps),
    ...cardUpdateActivities(deps),
    ...activationActivities(deps),
    ...p2pActivities(deps),
  });
}

export type Activities = ReturnType<typeof createActivities>;
