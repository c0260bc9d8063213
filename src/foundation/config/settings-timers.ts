import { DAY, HOUR, MINUTE, ms, SECOND } from './setting';
import type { Group } from './values';

/** How long the platform waits for others, and how often it looks. All in milliseconds. */
export const timers = {
  timers: {
    processorTimeoutMs: ms(
      'PROCESSOR_TIMEOUT_MS',
      3 * SECOND,
      'How long one call to a processor may take. Keep it shorter than `PROCESSOR_IN_FLIGHT_MS`',
      { formerly: 'PROVIDER_TIMEOUT_MS' },
    ),
    processorInFlightMs: ms(
      'PROCESSOR_IN_FLIGHT_MS',
      5 * SECOND,
      'How long a request may still be on its way to a processor. During this time the answer "not found" proves ' +
        'nothing',
      { formerly: 'PROVIDER_IN_FLIGHT_MS' },
    ),
    inquiryFirstMs: ms(
      'PROCESSOR_INQUIRY_FIRST_MS',
      SECOND,
      'The pause before a processor is first asked about an unknown outcome. Each further pause is twice as long',
      { formerly: 'PROVIDER_INQUIRY_FIRST_MS' },
    ),
    inquiryMaxMs: ms('PROCESSOR_INQUIRY_MAX_MS', 10 * MINUTE, 'The longest pause between two such inquiries', {
      formerly: 'PROVIDER_INQUIRY_MAX_MS',
    }),
    reviewAfterMs: ms(
      'PAYMENT_REVIEW_AFTER_MS',
      DAY,
      'When an outcome is still unknown after this time, operators see it in their list. The inquiries go on',
    ),
    payerActionTtlMs: ms(
      'PAYER_ACTION_TTL_MS',
      15 * MINUTE,
      'How long a payer has for 3-D Secure or a payment page, unless the processor gives less',
    ),
    payerTransferTtlMs: ms(
      'PAYER_TRANSFER_TTL_MS',
      7 * DAY,
      'How long a payer has for a bank transfer or a voucher, unless the processor gives less',
    ),
    payerInquiryFirstMs: ms(
      'PAYER_INQUIRY_FIRST_MS',
      MINUTE,
      'The pause before a processor is first asked about something that waits for its payer. Each further pause is ' +
        "twice as long. With `0` it is not asked before the payer's time is up",
    ),
    authorizationTtlMs: ms('AUTHORIZATION_TTL_MS', 7 * DAY, 'How long an authorized payment waits for its capture'),
    cvvTtlMs: ms(
      'CVV_TTL_MS',
      HOUR,
      'The longest time that a security code is kept, encrypted. It is erased earlier when the authorization ends ' +
        'earlier',
    ),
    cardTtlMs: ms(
      'CARD_TTL_MS',
      7 * DAY,
      'The longest time that a card which is not saved is kept, encrypted, while its authorization has not ended. It is ' +
        'erased with the end of the authorization when that is earlier',
    ),
    deviceWalletTokenTtlMs: ms(
      'DEVICE_WALLET_TOKEN_TTL_MS',
      5 * MINUTE,
      'How long an EC_v1 device-wallet token is valid after its signing. An ECv2 token states its own end',
      { formerly: 'WALLET_TOKEN_TTL_MS' },
    ),
    callbackRetryFirstMs: ms(
      'CALLBACK_RETRY_FIRST_MS',
      SECOND,
      'The pause before a stored callback is handed to its flow again. Each further pause is twice as long',
    ),
    callbackRetryMaxMs: ms('CALLBACK_RETRY_MAX_MS', 30 * SECOND, 'The longest such pause'),
    callbackUnmatchedTtlMs: ms(
      'CALLBACK_UNMATCHED_TTL_MS',
      DAY,
      'How long a callback waits for the payment that it names, when the platform does not know one. After that it ' +
        'is ignored and stays in the inbox',
    ),
    callbackHintTtlMs: ms(
      'CALLBACK_HINT_TTL_MS',
      DAY,
      'How long an unsigned callback is kept. Until then its processor is asked about it, less and less often',
    ),
    unmatchedTransferGraceMs: ms(
      'UNMATCHED_TRANSFER_GRACE_MS',
      10 * SECOND,
      'How long an incoming bank transfer that names no payment waits for one. After that it is booked to suspense, ' +
        'and operators decide',
    ),
    disputeEvidenceTtlMs: ms(
      'DISPUTE_EVIDENCE_TTL_MS',
      7 * DAY,
      'How long a merchant may submit evidence against a chargeback',
    ),
    disputeInquiryMs: ms(
      'DISPUTE_INQUIRY_MS',
      6 * HOUR,
      'The pause between two questions to the processor about a dispute that it has to decide',
    ),
    documentExpiryReminderMs: ms(
      'DOCUMENT_EXPIRY_REMINDER_MS',
      30 * DAY,
      "How long before a customer's document expires the customer gets a reminder",
    ),
    payoutAccountHoldMs: ms(
      'PAYOUT_ACCOUNT_HOLD_MS',
      DAY,
      'How long a changed account for payouts waits before it counts. Its owner can notice a change that is not theirs. ' +
        'The first account of an organization counts once it is verified',
    ),
    activationReminderMs: ms(
      'ACTIVATION_REMINDER_MS',
      2 * DAY,
      'How long an application to go live waits before operators get a reminder. Also the pause between two reminders',
      { min: 1 },
    ),
    cardExpiryEveryMs: ms(
      'CARD_EXPIRY_EVERY_MS',
      DAY,
      'The pause between two searches for saved cards that expire soon',
      {
        min: SECOND,
      },
    ),
    cardExpiryNoticeMs: ms(
      'CARD_EXPIRY_NOTICE_MS',
      30 * DAY,
      'How long before a saved card expires its customer is told',
    ),
    transferTtlMs: ms(
      'TRANSFER_TTL_MS',
      7 * DAY,
      'How long a transfer waits for its recipient to accept it or to join. Then the money goes back',
      { min: 1 },
    ),
    moneyRequestTtlMs: ms('MONEY_REQUEST_TTL_MS', 7 * DAY, 'How long a money request waits for an answer', {
      min: 1,
    }),
    transferDisputeWindowMs: ms(
      'TRANSFER_DISPUTE_WINDOW_MS',
      7 * DAY,
      'How long after a transfer settled its recipient may reverse it',
      { min: 1 },
    ),
    orderReservationMs: ms(
      'ORDER_RESERVATION_MS',
      30 * MINUTE,
      'How long an order holds its pieces. It holds them longer while somebody is paying, or while its payment link lives',
      { min: SECOND },
    ),
    reconciliationEveryMs: ms(
      'RECONCILIATION_EVERY_MS',
      HOUR,
      'The pause between two reconciliations with each processor',
      { min: SECOND },
    ),
    reconciliationGraceMs: ms(
      'RECONCILIATION_GRACE_MS',
      DAY,
      'How long a movement may be missing from the settlement reports, and a report line may match nothing. After ' +
        'that it is a difference',
    ),
    firstStepLeaseMs: ms(
      'PAYMENT_FIRST_STEP_LEASE_MS',
      20 * SECOND,
      'How long an API process may take for the first step of a payment. After that the workers start its flow, or wake it; ' +
        'one that is started asks the processor first. Longer than `PROCESSOR_TIMEOUT_MS` for each processor of a route',
    ),
    lostFlowMs: ms(
      'LOST_FLOW_MS',
      10 * MINUTE,
      'How long an open payment, refund, late return, dispute, card verification or standing order may stand still. ' +
        'After that the platform checks, as often, that its flow runs, and starts it again if it does not',
    ),
    shutdownGraceMs: ms(
      'SHUTDOWN_GRACE_MS',
      10 * SECOND,
      'How long running work may go on after SIGTERM. `npm start` ends at most 10 s later',
    ),
  },
} satisfies Group;
