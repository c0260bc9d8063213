import type { PaymentKind, ProcessorId } from '../../domain/connector';
import { type Charge, makeId, type Refund } from './records';

/** What a processor has to tell, in words that all processors share; each translates them into its own. */
export interface Notice {
  eventId: string;
  processor: ProcessorId;
  event: NoticeEvent;
  /** The payment's reference, the refund's on refund events, the batch id on settlement batches. */
  reference: string;
  paymentReference?: string;
  /** Of the payment. */
  kind?: PaymentKind;
  processorReference?: string;
  amountMinor?: bigint;
  currency?: string;
  /** All that a payer has sent so far, where that may be less or more than was asked for. */
  receivedMinor?: bigint;
  /** Why a payment was declined or charged back. */
  reason?: string;
  caseId?: string;
  /** Of `received`: the transfer, and who sent it. */
  transferId?: string;
  payerName?: string;
  /** The notice is about a transfer that the processor sent: it arrived, or was `refunded` by the bank it went to. */
  isSentTransfer?: boolean;
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

export interface QueuedCallback {
  /** The event id of the notice. */
  id: string;
  notice: Notice;
  /** Milliseconds since 1970: not sent earlier. */
  dueAt: number;
}

/** A notice about a charge as it stands. */
export function noticeOf(event: NoticeEvent, charge: Charge): Notice {
  return {
    eventId: makeId('evt'),
    processor: charge.processor,
    event,
    reference: charge.reference,
    paymentReference: charge.reference,
    kind: charge.kind,
    processorReference: charge.id,
    amountMinor: charge.capturedMinor > 0n ? charge.capturedMinor : charge.amountMinor,
    currency: charge.currency,
    receivedMinor: charge.receivedMinor,
    caseId: charge.caseId,
    details: charge.details,
    occurredAt: new Date().toISOString(),
  };
}

export function refundNoticeOf(event: NoticeEvent, refund: Refund): Notice {
  return {
    eventId: makeId('evt'),
    processor: refund.processor,
    event,
    reference: refund.reference,
    paymentReference: refund.paymentReference,
    processorReference: refund.id,
    amountMinor: refund.amountMinor,
    currency: refund.currency,
    occurredAt: new Date().toISOString(),
  };
}

/** Whether a notice is about a refund rather than its payment. */
export function isOfRefund({ event }: Pick<Notice, 'event'>): boolean {
  return event === 'refunded' || event === 'refund_declined';
}

/** The amount a notice is about, as a processor writes it; undefined where it is about none. */
export function amountIn<T>(
  { amountMinor, currency }: Pick<Notice, 'amountMinor' | 'currency'>,
  write: (amountMinor: bigint, currency: string) => T,
): T | undefined {
  return amountMinor !== undefined && currency ? write(amountMinor, currency) : undefined;
}

/** A callback with a JSON body. */
export function jsonCallback(receiver: string, body: string, signature: Record<string, string>): OutgoingCallback {
  return { method: 'POST', receiver, headers: { 'content-type': 'application/json', ...signature }, body };
}

/** `name=value&…` in the order given; what has no value is left out. */
export function parametersOf(fields: readonly (readonly [name: string, value: string | undefined])[]): string {
  return fields
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value as string)}`)
    .join('&');
}
