import type { Money } from './money';
import type { ResultCode } from './result-codes';

/** What processors answer: one union for each operation, so that none can be taken for another. */

/**
 * What the payer must do next, as the merchant sees it in `data.action`: go to `url`, scan the code made of
 * `fields.payload` (pictures are added by us), or follow what `fields` says (account, reference, address).
 */
export interface PayerAction {
  type: 'redirect' | 'qr' | 'instructions';
  url?: string;
  method?: 'GET' | 'POST';
  fields?: Record<string, string>;
  /** RFC 3339 UTC */
  expiresAt: string;
}

/**
 * How a payment stands at its processor, as the processor says itself. `challenge` is 3-D Secure; `payer_action` is
 * everything else that a payer has to do.
 */
export type PaymentStanding =
  | { kind: 'authorized'; processorReference: string; money: Money }
  /** `detail` where there is more to say than that, such as an overpayment that the processor returns. */
  | { kind: 'captured'; processorReference: string; money: Money; detail?: string }
  | { kind: 'challenge'; processorReference: string; action: PayerAction }
  | { kind: 'payer_action'; processorReference: string; action: PayerAction; detail: string }
  | { kind: 'declined'; code: ResultCode; detail: string; processorReference?: string }
  /** The issuer has declined it for want of authentication alone, and charged nothing: with 3-D Secure it may approve. */
  | { kind: 'soft_declined'; detail: string; processorReference?: string }
  | { kind: 'authentication_failed'; detail: string; processorReference?: string }
  | { kind: 'voided'; processorReference: string }
  | Pending;

/**
 * The processor has it and works on it; a callback or an inquiry will tell. `expectedBy` (RFC 3339 UTC) where that takes
 * its known time, such as a collection: not knowing is in order until then.
 */
export interface Pending {
  kind: 'pending';
  detail: string;
  processorReference?: string;
  expectedBy?: string;
}

/** The processor does not know the reference. Definite only after its in-flight window. */
export interface NotFound {
  kind: 'not_found';
}

/** The call may or may not have worked: ask by reference before anything is sent again. */
export interface Unknown {
  kind: 'unknown';
  detail: string;
}

/** The request certainly did not reach the processor, or was turned away at its door: nothing was charged by it. */
export interface NotCharged {
  kind: 'not_charged';
  detail: string;
}

/** The same of a capture, void or refund: it had no effect, and can be sent again under its key. */
export interface NotTaken {
  kind: 'not_taken';
  detail: string;
}

/** The processor will not do it. `standing`: how the payment stands there, where it says so. */
export interface Refused {
  kind: 'refused';
  detail: string;
  standing?: PaymentStanding;
}

/** Each operation has answers of its own: the refusal of one can never be taken for that of another. */
export type AuthorizeAnswer = PaymentStanding | NotCharged | NotFound | Unknown;
export type PaymentInquiry = PaymentStanding | NotFound | Unknown;
export type CaptureAnswer =
  | Extract<PaymentStanding, { kind: 'captured' }>
  | Pending
  | Refused
  | NotTaken
  | NotFound
  | Unknown;
export type VoidAnswer =
  | Extract<PaymentStanding, { kind: 'voided' }>
  | Pending
  | Refused
  | NotTaken
  | NotFound
  | Unknown;

export type RefundStanding =
  | { kind: 'refunded'; processorReference: string; money: Money }
  | { kind: 'refund_declined'; detail: string; processorReference?: string }
  | Pending;
export type RefundAnswer = RefundStanding | NotTaken | NotFound | Unknown;
export type RefundInquiry = RefundStanding | NotFound | Unknown;

/** How an incoming transfer stands at its processor. */
export type TransferStanding =
  /** It counts towards no payment. */
  | { kind: 'held'; money: Money }
  /** It counts towards this payment, by our id. */
  | { kind: 'assigned'; money: Money; paymentReference: string }
  | { kind: 'returning'; money: Money }
  | { kind: 'returned'; money: Money }
  /** The sender's bank did not take it back: the processor has it again. */
  | { kind: 'return_declined'; money: Money };

/** The processor will not do it. `standing`: how the transfer stands there, where it says so. */
export interface TransferRefused {
  kind: 'refused';
  detail: string;
  standing?: TransferStanding;
}

export type AssignAnswer =
  | Extract<TransferStanding, { kind: 'assigned' }>
  | TransferRefused
  | NotTaken
  | NotFound
  | Unknown;
export type ReturnAnswer =
  | Extract<TransferStanding, { kind: 'returning' | 'returned' | 'return_declined' }>
  | TransferRefused
  | NotTaken
  | NotFound
  | Unknown;
export type TransferInquiry = TransferStanding | NotFound | Unknown;

/** How a transfer that we sent stands at its processor. */
export type PayoutStanding =
  /** The processor has it and works on it. */
  | { kind: 'accepted'; processorReference: string; money: Money }
  | { kind: 'settled'; processorReference: string; money: Money }
  /** It went out and came back. */
  | { kind: 'returned'; processorReference: string; money: Money; detail: string }
  /** It never went out, and never will. */
  | { kind: 'declined'; detail: string; processorReference?: string };

/** `not_understood`: this request was not accepted, which says nothing about an earlier one under its key. */
export type SendPayoutAnswer =
  | PayoutStanding
  | { kind: 'not_understood'; detail: string }
  | NotTaken
  | NotFound
  | Unknown;
export type PayoutInquiry = PayoutStanding | NotFound | Unknown;
