import type { ProcessorId } from './connector';
import type { ActivationStatus } from './states/activation';
import type { CardVerificationStatus } from './states/card-verification';
import type { CustomerStatus } from './states/customer';
import type { DisputeStatus } from './states/dispute';
import type { RequestStatus } from './states/money-request';
import type { PaymentStatus } from './states/payment';
import type { RefundStatus } from './states/refund';
import type { TransferStatus } from './states/transfer';
import type { UnmatchedTransferStatus } from './states/unmatched-transfer';

/** Names and shapes that clients and workflows agree on. Imported by both sides; holds no logic. */

export const WORKFLOW = {
  payment: 'payment',
  topup: 'topup',
  refund: 'refund',
  dispute: 'dispute',
  settlement: 'settlement',
  reconciliation: 'reconciliation',
  lateCallback: 'lateCallback',
  receipt: 'receipt',
  unmatchedTransfer: 'unmatchedTransfer',
  notifications: 'notifications',
  verification: 'verification',
  cardVerification: 'cardVerification',
  cardUpdate: 'cardUpdate',
  cardExpiry: 'cardExpiry',
  activation: 'activation',
  p2p: 'p2p',
  scheduledTransfer: 'scheduledTransfer',
  paymentLink: 'paymentLink',
  payout: 'payout',
  consent: 'consent',
} as const;

export type WorkflowName = keyof typeof WORKFLOW;

/** What a flow is found by in the engine, as keywords; a development server takes ten. `status` and `waitsFor` change. */
export const SEARCH_ATTRIBUTE = {
  tenant: 'TillwayTenant',
  organization: 'TillwayOrganization',
  customer: 'TillwayCustomer',
  status: 'TillwayStatus',
  kind: 'TillwayKind',
  provider: 'TillwayProvider',
  merchantTransactionId: 'TillwayMerchantTransactionId',
  waitsFor: 'TillwayWaitsFor',
} as const;

/** Signals that start a flow where there is none, or bring one that runs a callback or the order of an operator. */
export type SignalName = 'proceed' | 'due' | 'callbackArrived' | 'retryNow' | 'cancelNow' | 'resolveUnknown';

/** Flows and most of their steps share one queue; deliveries to merchants, whose servers may be slow, have their own. */
export type Queue = 'flows' | 'notifications';

/** The engine's name of a queue. `taskQueue`: the configured one. */
export const queueName = (taskQueue: string, queue: Queue) => (queue === 'flows' ? taskQueue : `${taskQueue}-${queue}`);

/** Workflow ids say what they are about. */
export const workflowId = {
  payment: (paymentId: string) => `payment/${paymentId}`,
  topup: (topupId: string) => `topup/${topupId}`,
  refund: (refundId: string) => `refund/${refundId}`,
  dispute: (processor: ProcessorId, caseId: string) => `dispute/${processor}/${caseId}`,
  settlement: (processor: ProcessorId, batchId: string) => `settlement/${processor}/${batchId}`,
  reconciliation: (processor: ProcessorId, run: string) => `reconciliation/${processor}/${run}`,
  lateCallback: (processor: ProcessorId, eventId: string) => `callback/${processor}/${eventId}`,
  receipt: (receiptId: string) => `receipt/${receiptId}`,
  unmatchedTransfer: (id: string) => `unmatched-transfer/${id}`,
  /** `endpoint`: a short hash of its origin. */
  notifications: (organizationId: string, endpoint: string) => `notifications/${organizationId}/${endpoint}`,
  verification: (customerId: string) => `verification/${customerId}`,
  cardVerification: (verificationId: string) => `card-verification/${verificationId}`,
  cardUpdate: (processor: ProcessorId, eventId: string) => `card-update/${processor}/${eventId}`,
  /** `schedule` is the schedule itself. */
  cardExpiry: (run: string) => `card-expiry/${run}`,
  activation: (organizationId: string, number: number) => `activation/${organizationId}/${number}`,
  /** Of a transfer, a request for money or a schedule. */
  p2p: (id: string) => `p2p/${id}`,
  paymentLink: (paymentLinkId: string) => `payment-link/${paymentLinkId}`,
  payout: (payoutId: string) => `payout/${payoutId}`,
  consent: (consentId: string) => `consent/${consentId}`,
};

export interface PaymentInput {
  paymentId: string;
  tenantId: string;
  /** How often the processor was asked by the run before, when the flow goes on as a new run. */
  tries?: number;
  /** `payments.flow_due_at` says when it is woken. Flows of the versions before have timers of their own. */
  isWokenWhenDue?: boolean;
  /** How the payment stands after its first step, where that was taken before the flow started. */
  view?: PaymentView;
}

/** What a workflow needs to know about its payment after each step. */
export interface PaymentView {
  status: PaymentStatus | 'withdrawn';
  resultCode: number;
  detail: string;
  /** When its row last moved, in milliseconds since the epoch; absent of a payment that is gone. */
  sinceMs?: number;
  /** Whom the payment waits for. */
  waitsFor: 'nobody' | 'payer' | 'merchant' | 'provider';
  /** When waiting ends, in milliseconds since the epoch; absent where there is no end. */
  waitsUntilMs?: number;
  /** When waiting for the payer: when the processor is asked meanwhile, in milliseconds since the epoch. */
  checkAtMs?: number;
  /** When waiting for the processor: how long until it is asked again, in milliseconds. */
  askAgainMs?: number;
  /** Set once ops should look at it. */
  review?: string;
  /** The callback just looked at came when the payment had ended already. */
  callbackIsLate?: boolean;
}

export interface ReceiptInput {
  receiptId: string;
  tenantId: string;
  /** How often the processor was asked by the runs before, when the flow goes on as a new run. */
  tries?: number;
}

/** Where money stands that nobody asked for. */
export interface ReceiptView {
  status: 'returning' | 'returned' | 'refused';
  detail: string;
  /** When it came, in milliseconds since the epoch. */
  sinceMs: number;
  /** While it is returning: how long until the processor is asked again, in milliseconds. */
  askAgainMs?: number;
  /** Set once ops should look at it. */
  review?: string;
}

export interface UnmatchedTransferInput {
  /** Of the row (`utr_…`). */
  id: string;
  /** How often the processor was asked by the runs before, when the flow goes on as a new run. */
  tries?: number;
}

/** Where an incoming transfer stands that an operator has decided about. */
export interface UnmatchedTransferView {
  status: UnmatchedTransferStatus;
  detail: string;
  /** When it was decided, in milliseconds since the epoch. */
  sinceMs: number;
  /** While the order is under way: how long until the processor is asked again, in milliseconds. */
  askAgainMs?: number;
  /** Set once ops should look at it. */
  review?: string;
}

export interface CaptureOrder {
  /** Chosen by the API; the same order twice is one capture. */
  operationId: string;
  /** Minor units; absent: all that was authorized. */
  amountMinor?: bigint;
}

export interface CancelOrder {
  operationId: string;
}

/** An intervention by ops: who and why are recorded. */
export interface OperatorNote {
  operator: string;
  reason: string;
  /** The order that it carries. Absent: somebody sent the signal to the engine directly. */
  interventionId?: string;
}

/**
 * What a flow gets in place of a payload that the platform did not encrypt, or that belongs to another workflow: somebody
 * sent it to the engine directly.
 */
export interface Refused {
  $refused: string;
}

export function isRefused(value: unknown): value is Refused {
  return typeof value === 'object' && value !== null && '$refused' in value;
}

/** What ops learnt by other means about a payment whose processor will not tell. */
export interface OperatorResolution extends OperatorNote {
  outcome: 'captured' | 'nothing_charged';
  /** What the processor calls the charge. */
  processorReference?: string;
}

export type Intervention =
  | ({ kind: 'retry_now' } & OperatorNote)
  | ({ kind: 'cancel' } & OperatorNote)
  | ({ kind: 'resolve_unknown' } & OperatorResolution);

export interface RefundInput {
  refundId: string;
  paymentId: string;
  tenantId: string;
  /** As in PaymentInput. */
  tries?: number;
}

export interface RefundView {
  status: RefundStatus;
  /** When it was sent, in milliseconds since the epoch. */
  sinceMs?: number;
  detail: string;
  askAgainMs?: number;
  review?: string;
}

export interface DisputeInput {
  processor: ProcessorId;
  caseId: string;
  /** As in PaymentInput. */
  tries?: number;
}

export interface DisputeView {
  status: DisputeStatus;
  /** When its row last moved, in milliseconds since the epoch; absent where there is none. */
  sinceMs?: number;
  detail: string;
  /** Whom the dispute waits for. */
  waitsFor?: 'nobody' | 'merchant' | 'provider' | 'operator';
  /** How long until the flow goes on by itself, in milliseconds; absent where only others can. */
  askAgainMs?: number;
}

export interface SettlementInput {
  processor: ProcessorId;
  batchId: string;
}

/** What a pass over a settlement report came to. */
export interface SettlementView {
  lines: number;
  /** Lines booked by now. */
  booked: number;
  /** Lines for payments whose outcome we do not hold yet. */
  waiting: number;
}

export interface ReconciliationInput {
  processor: ProcessorId;
  /** The row that whoever started the run has written; absent: the run writes its own. */
  runId?: string;
  /** `schedule`, or the operator's client. */
  startedBy: string;
}

/** Batches that the processor lists, and those among them that nobody had announced. */
export interface ReconciliationRecovery {
  batches: number;
  recovered: number;
  /** There are more to look into. */
  more: boolean;
}

/** What a run came to. Differences are those open when it ended; the rest is counted since the run before. */
export interface RunCounts {
  /** Closed batches that the processor listed. */
  batches: number;
  /** Of them, those whose announcement never came. */
  recovered: number;
  matched: number;
  matchedLater: number;
  missingHere: number;
  missingThere: number;
  differentAmount: number;
  differentFee: number;
}

export type ReconciliationView = RunCounts;

export interface LateCallbackInput {
  inboxId: string;
}

/** What became of a callback. */
export interface CallbackView {
  state: 'applied' | 'ignored' | 'flagged';
  detail: string;
  /** Late money that has yet to go back to the payer: the workflow tries again after this long. */
  askAgainMs?: number;
}

export interface NotificationsInput {
  organizationId: string;
  /** Scheme, host and port of the merchant's server. */
  endpoint: string;
}

/** What waits for one merchant server after a round of deliveries. */
export interface NotificationsView {
  waiting: number;
  /** When the oldest of them was written, in milliseconds since the epoch. */
  oldestAtMs?: number;
  /** How long until the next may be tried, in milliseconds. */
  nextInMs?: number;
}

export interface VerificationInput {
  customerId: string;
  tenantId: string;
}

export interface VerificationView {
  status: CustomerStatus | 'erased';
  /** When it came to that status, in milliseconds since the epoch. */
  sinceMs?: number;
  detail: string;
  /** Whom the verification waits for. */
  waitsFor: 'nobody' | 'customer' | 'tenant_admin';
  /** How long until a document is to be reminded of, or expires, in milliseconds. */
  nextInMs?: number;
  /** There is nothing left to wait for. */
  ended: boolean;
}

export interface CardVerificationInput {
  verificationId: string;
  tenantId: string;
}

export interface CardVerificationView {
  status: CardVerificationStatus | 'withdrawn';
  /** When its row last moved, in milliseconds since the epoch; absent where there is none. */
  sinceMs?: number;
  detail: string;
  waitsFor: 'nobody' | 'payer' | 'provider';
  /** How long until the processor is asked, in milliseconds. */
  askAgainMs?: number;
  /** When the customer's time ends, in milliseconds since the epoch. */
  waitsUntilMs?: number;
}

/** A callback that announces what an issuer has done with a card. */
export interface CardUpdateInput {
  inboxId: string;
}

export interface CardUpdateView {
  /** Saved cards that were changed or removed. */
  cards: number;
  detail: string;
}

export interface ActivationInput {
  activationId: string;
  tenantId: string;
}

export interface ActivationView {
  status: ActivationStatus;
  detail: string;
  /** When it was submitted, or decided, in milliseconds since the epoch. */
  sinceMs: number;
  /** How long until operators are reminded, in milliseconds. */
  nextInMs?: number;
  ended: boolean;
}
/** A transfer between customers, or a request for money, that waits for somebody. */
export interface P2pInput {
  kind: 'transfer' | 'request';
  id: string;
  tenantId: string;
}

export interface P2pView {
  status: TransferStatus | RequestStatus;
  /** When it came to that status, in milliseconds since the epoch. */
  sinceMs: number;
  detail: string;
  waitsFor: 'nobody' | 'recipient' | 'invited' | 'payer';
  /** When waiting ends, in milliseconds since the epoch. */
  waitsUntilMs?: number;
  /** How long until the flow looks again by itself, in milliseconds. */
  nextInMs?: number;
  ended: boolean;
}

/** One occurrence of a schedule; the engine says when it was due. */
export interface ScheduledTransferInput {
  scheduleId: string;
  tenantId: string;
}

export interface ScheduledTransferView {
  /** `nothing`: the schedule has ended meanwhile. `skipped`: the standing order is paused. */
  status: TransferStatus | 'skipped' | 'nothing';
  transferId?: string;
  detail: string;
}
