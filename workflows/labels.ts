import type { Activities } from '../activities';
import type { notificationActivities } from '../activities/notifications';

/** Every step that a workflow may call. */
export type Step = keyof Activities | keyof ReturnType<typeof notificationActivities>;

/** What each step does, for people who read a flow's timeline. Step names are stored in histories and cannot change. */
export const LABELS: Record<Step, string> = {
  submitPayment: 'Send the payment to its processor',
  inquirePayment: 'Ask the processor what became of the payment',
  expirePayment: 'Ask the processor; end the payment if its time is up',
  proceedPayment: 'Send the capture or cancel that was ordered',
  capturePayment: 'Capture at the processor',
  cancelPayment: 'Cancel at the processor',
  intervene: 'Do what an operator asked for',
  applyPaymentCallback: 'Apply what a callback says of the payment',
  applyLateCallback: 'Apply a callback that came after the end; late money goes back',
  returnReceipt: 'Give money back that nobody asked for, or ask what became of it',
  settleUnmatchedTransfer: 'Match the transfer, or give it back, or ask what became of it',
  submitRefund: 'Send the refund to the processor',
  inquireRefund: 'Ask the processor what became of the refund',
  applyRefundCallback: 'Apply what a callback says of the refund',
  noteRefundIntervention: 'Write down which operator asked for another try, and why',
  bookSettlement: 'Book the lines of the settlement report',
  beginReconciliation: 'Write the run down',
  recoverBatches: 'Book batches that were not announced',
  compareBooks: 'Compare settlement reports and ledger line by line',
  applyDisputeCallback: 'Apply what a callback says of the dispute',
  proceedDispute: 'Send what the merchant ordered, or ask the processor about the dispute',
  noteDisputeIntervention: 'Write down which operator asked for another try, and why',
  lookAtVerification: 'Look at documents and decisions, and do what is due',
  submitCardVerification: 'Send the card to its processor to be checked',
  inquireCardVerification: 'Ask the processor what became of the card check',
  expireCardVerification: 'Ask the processor; end the card check if its time is up',
  applyCardVerificationCallback: 'Apply what a callback says of the card check',
  applyCardUpdate: 'Ask the processor what became of the card, and update saved cards',
  tellOfExpiringCards: 'Tell customers of cards that expire soon',
  lookAtActivation: 'Look at the application, and do what is due',
  lookAtP2p: 'Look at the transfer or request, and do what is due',
  makeScheduledTransfer: 'Make the transfer that is due',
  deliverNotifications: 'Deliver what is due to the server of the merchant',
  lookAtPaymentLink: 'Look at the payment link, and do what is due',
  proceedPayout: 'Send the payout once its time has come, or ask what became of it',
  applyPayoutCallback: 'Apply what a callback says of the payout',
  lookAtConsent: 'Look at the consent, and do what is due',
};
