import { PAYMENT_LINK_FLOW } from '../src/commerce/payment-links/flow';
import { PAYOUT_FLOW } from '../src/commerce/payouts/flow';
import type { WorkflowName } from '../src/domain/flows';
import { LATE_CALLBACK_FLOW } from '../src/edge/callbacks/flow';
import { NOTIFICATIONS_FLOW } from '../src/edge/notifications/flow';
import type { Flow } from '../src/foundation/temporal/flows';
import { DISPUTE_FLOW } from '../src/money/disputes/flow';
import { P2P_FLOW, SCHEDULED_TRANSFER_FLOW } from '../src/money/p2p/flow';
import { PAYMENT_FLOW, RECEIPT_FLOW, REFUND_FLOW, TOPUP_FLOW } from '../src/money/payments/flow';
import { RECONCILIATION_FLOW, SETTLEMENT_FLOW } from '../src/money/reconciliation/flow';
import { CARD_EXPIRY_FLOW, CARD_UPDATE_FLOW, CARD_VERIFICATION_FLOW } from '../src/money/saved-cards/flow';
import { UNMATCHED_TRANSFER_FLOW } from '../src/money/suspense/flow';
import { CONSENT_FLOW } from '../src/open-banking/consents/flow';
import { KYC_FLOW } from '../src/people/kyc/flow';
import { ACTIVATION_FLOW } from '../src/people/onboarding/flow';

/**
 * Every workflow there is, with how it is started and found. A new name in `WORKFLOW` does not compile until it stands
 * here; what looks for lost flows goes through this table.
 */
export const FLOWS: Record<WorkflowName, Flow<unknown>> = {
  payment: PAYMENT_FLOW,
  topup: TOPUP_FLOW,
  refund: REFUND_FLOW,
  dispute: DISPUTE_FLOW,
  settlement: SETTLEMENT_FLOW,
  reconciliation: RECONCILIATION_FLOW,
  lateCallback: LATE_CALLBACK_FLOW,
  receipt: RECEIPT_FLOW,
  unmatchedTransfer: UNMATCHED_TRANSFER_FLOW,
  notifications: NOTIFICATIONS_FLOW,
  verification: KYC_FLOW,
  cardVerification: CARD_VERIFICATION_FLOW,
  cardUpdate: CARD_UPDATE_FLOW,
  cardExpiry: CARD_EXPIRY_FLOW,
  activation: ACTIVATION_FLOW,
  p2p: P2P_FLOW,
  scheduledTransfer: SCHEDULED_TRANSFER_FLOW,
  paymentLink: PAYMENT_LINK_FLOW,
  payout: PAYOUT_FLOW,
  consent: CONSENT_FLOW,
};
