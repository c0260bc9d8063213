import type { PaymentKind, ProcessorId } from '../../domain/connector';

/** What a processor has to tell, in words that all personalities share; each translates them into its own. */
export interface Notice {
  eventId: string;
  processor: ProcessorId;
  event: NoticeEvent;
  /** The payment's reference, the refund's on refund events, the batch id on settlement batches. */
  reference: string;
  paymentReference?: string;
  /** Of the payment. */
  kind?: PaymentKind;
  providerReference?: string;
  amountMinor?: bigint;
  currency?: string;
  /** All that a payer has sent so far, where that may be less or more than was asked for. */
  receivedMinor?: bigint;
  /** Why a payment was declined or charged back. */
  reason?: string;
  caseId?: string;
  batchId?: string;
  /** Lines of a settlement batch. */
  count?: number;
  /** What the processor keeps of the order (`Charge.details`). */
  details?: Record<string, string>;
  /** The challenge response of EMV 3-D Secure, base64url. */
  cres?: string;
  /** RFC 3339 UTC */
  occurredAt: string;
}

export type NoticeEvent =
  | 'authorized'
  | 'captured'
  | 'settled'
  | 'failed'
  | 'refunded'
  | 'refund_declined'
  | 'charged_back'
  | 'second_presentment'
  | 'chargeback_won'
  | 'chargeback_lost'
  | 'authenticated'
  | 'authentication_failed'
  | 'challenge_answered'
  /** The payer has paid, and it takes its steps: `reason` says which. */
  | 'processing'
  /** A transfer came in, of `amountMinor`, which need not be all. */
  | 'received'
  | 'settlement_batch';

/** A callback ready to go out. */
export interface OutgoingCallback {
  method: 'GET' | 'POST';
  /** The last path segment at the other side. */
  receiver: string;
  /** Without the question mark. */
  query?: string;
  headers: Record<string, string>;
  body?: string;
}
