import type {
  CallbackView,
  CancelOrder,
  CaptureOrder,
  CardUpdateInput,
  CardVerificationInput,
  DisputeInput,
  Intervention,
  LateCallbackInput,
  OperatorNote,
  P2pInput,
  PaymentInput,
  ReceiptInput,
  ReconciliationInput,
  ReconciliationRecovery,
  RefundInput,
  ScheduledTransferInput,
  SettlementInput,
  UnmatchedTransferInput,
} from '../src/domain/flows';
import { applyPaymentCallback } from '../src/edge/callbacks/about-payment';
import { Inbox } from '../src/edge/callbacks/inbox';
import { carryOutAndReport } from '../src/edge/callbacks/incoming-transfers';
import { takeEffect } from '../src/edge/callbacks/take-effect';
import { hearDisputeCallback } from '../src/money/disputes/callback';
import { readDisputeView } from '../src/money/disputes/flow-view';
import { noteDisputeIntervention, proceedWithCase } from '../src/money/disputes/proceed';
import { advanceP2p } from '../src/money/p2p/advance';
import { submitPayment } from '../src/money/payments/steps/authorize';
import { cancelPayment, capturePayment } from '../src/money/payments/steps/capture-and-void';
import { expirePayment } from '../src/money/payments/steps/expire';
import { inquirePayment, proceedWithPayment } from '../src/money/payments/steps/inquire';
import { hearLateCallback } from '../src/money/payments/steps/late-money';
import { intervene } from '../src/money/payments/steps/operator';
import {
  hearRefundCallback,
  inquireRefund,
  noteRefundIntervention,
  readRefundView,
  submitRefund,
} from '../src/money/payments/steps/refund';
import { returnReceipt } from '../src/money/payments/steps/return-receipt';
import { bookBatch } from '../src/money/reconciliation/book-batch';
import { beginReconciliation, compareBooks, recoverBatches } from '../src/money/reconciliation/reconcile';
import { hearCardUpdate } from '../src/money/saved-cards/announced-update';
import {
  expireCardVerification,
  hearCardVerificationCallback,
  inquireCardVerification,
  readCardVerificationView,
  submitCardVerification,
} from '../src/money/saved-cards/steps';
import { makeScheduledTransfer } from '../src/money/standing-orders/run';
import type { Dependencies } from './dependencies';

/** The steps of the flows that move money, under the names that recorded histories contain. */
export function moneyActivities(deps: Dependencies) {
  const inbox = new Inbox(deps.database.system);
  return {
    submitPayment: async (input: PaymentInput) => deps.firstSteps.join(input.paymentId) ?? submitPayment(deps, input),
    inquirePayment: (input: PaymentInput, tries: number) => inquirePayment(deps, input, tries),
    proceedPayment: (input: PaymentInput) => proceedWithPayment(deps, input),
    expirePayment: (input: PaymentInput, tries?: number) => expirePayment(deps, input, tries),
    capturePayment: (input: PaymentInput, order: CaptureOrder) => capturePayment(deps, input, order),
    cancelPayment: (input: PaymentInput, order: CancelOrder) => cancelPayment(deps, input, order),
    intervene: (input: PaymentInput, order: Intervention, operationId: string) =>
      intervene(deps, input, order, operationId),

    settleUnmatchedTransfer: (input: UnmatchedTransferInput, tries: number) =>
      carryOutAndReport(deps, inbox, input, tries),

    returnReceipt: (input: ReceiptInput, tries: number) => returnReceipt(deps, input, tries),

    submitRefund: (input: RefundInput) => submitRefund(deps, input),
    inquireRefund: (input: RefundInput, tries: number) => inquireRefund(deps, input, tries),
    noteRefundIntervention: (input: RefundInput, note: OperatorNote) => noteRefundIntervention(deps, input, note),

    proceedDispute: (input: DisputeInput, tries: number) => proceedWithCase(deps, input, tries),
    noteDisputeIntervention: (input: DisputeInput, note: OperatorNote) => noteDisputeIntervention(deps, input, note),

    submitCardVerification: (input: CardVerificationInput) => submitCardVerification(deps, input),
    inquireCardVerification: (input: CardVerificationInput, tries: number) =>
      inquireCardVerification(deps, input, tries),
    expireCardVerification: (input: CardVerificationInput, tries: number) => expireCardVerification(deps, input, tries),
    tellOfExpiringCards: () => deps.savedCards.expiry.round(),

    bookSettlement: (input: SettlementInput, final: boolean) => bookBatch(deps, input, final),
    beginReconciliation: (input: ReconciliationInput, seed: string) => beginReconciliation(deps, input, seed),
    recoverBatches: (runId: string) => recoverBatches(deps, runId),
    compareBooks: (runId: string, recovery: ReconciliationRecovery) => compareBooks(deps, runId, recovery),

    lookAtP2p: (input: P2pInput) => advanceP2p(deps, input),
    makeScheduledTransfer: (input: ScheduledTransferInput, atMs: number) => makeScheduledTransfer(deps, input, atMs),

    ...callbackActivities(deps, inbox),
  };
}

/** What callbacks do to their flows. The inbox holds the callback, and the area decides what it means. */
function callbackActivities(deps: Dependencies, inbox: Inbox) {
  return {
    applyPaymentCallback: (input: PaymentInput, inboxId: string) => applyPaymentCallback(deps, inbox, input, inboxId),
    applyLateCallback: ({ inboxId }: LateCallbackInput) =>
      takeEffect(
        inbox,
        inboxId,
        (callback) => hearLateCallback(deps, callback),
        async (): Promise<CallbackView> => ({ state: 'ignored', detail: 'handled before' }),
      ),
    applyRefundCallback: (input: RefundInput, inboxId: string) =>
      takeEffect(
        inbox,
        inboxId,
        (callback) => hearRefundCallback(deps, input, callback),
        () => readRefundView(deps, input),
      ),
    applyDisputeCallback: (input: DisputeInput, inboxId: string) =>
      takeEffect(
        inbox,
        inboxId,
        (callback) => hearDisputeCallback(deps, input, callback),
        () => readDisputeView(deps, input),
      ),
    applyCardVerificationCallback: (input: CardVerificationInput, inboxId: string) =>
      takeEffect(
        inbox,
        inboxId,
        (callback) => hearCardVerificationCallback(deps, input, callback),
        () => readCardVerificationView(deps, input),
      ),
    applyCardUpdate: ({ inboxId }: CardUpdateInput) =>
      takeEffect(
        inbox,
        inboxId,
        (callback) => hearCardUpdate(deps, callback),
        async () => ({ cards: 0, detail: 'It was handled before.' }),
      ),
  };
}
