import type { CardUpdate } from './card-update';
import type { Exemption } from './exemption';
import type { Money } from './money';
import type {
  AssignAnswer,
  AuthorizeAnswer,
  CaptureAnswer,
  PaymentInquiry,
  PayoutInquiry,
  RefundAnswer,
  RefundInquiry,
  ReturnAnswer,
  SendPayoutAnswer,
  TransferInquiry,
  VoidAnswer,
} from './processor-answers';
import type { ResultCode } from './result-codes';

/** The processors behind the callback receivers of the service description; the sandbox simulates them. */
export const SIMULATED_PROCESSORS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;

/** All that a payment can be routed to. One that is not switched on has no connector. */
export const PROCESSORS = [...SIMULATED_PROCESSORS, 'stripe', 'bank'] as const;
export type ProcessorId = (typeof PROCESSORS)[number];
/** A tenant's own accounts at its banks: what arrives is the tenant's at once, and there is no settlement report. */
export const OWN_BANK = 'bank' satisfies ProcessorId;

/** Card data on its way from the vault to a processor. Lives in memory only; never logged, stored or returned. */
export interface CardData {
  number: string;
  holder: string;
  /** "01" to "12" */
  expiryMonth: string;
  /** four digits */
  expiryYear: string;
  /** Absent on recurring payments, saved cards and later tries. */
  cvv?: string;
  /** Electronic commerce indicator, on cards out of a wallet token. */
  eci?: string;
}

export const PAYMENT_KINDS = [
  'card',
  'wallet',
  'upi',
  'qr',
  'apm',
  'bank_transfer',
  'direct_debit',
  'crypto',
  'hosted_page',
] as const;
export type PaymentKind = (typeof PAYMENT_KINDS)[number];

/** What the payer pays with, as far as it is no secret: kept with the payment. Cards and IBANs lie in the vault. */
export type StoredInstrument =
  | { kind: 'wallet'; wallet: 'first' | 'second' }
  | { kind: 'upi'; flow: 'collect'; vpa: string }
  | { kind: 'upi'; flow: 'intent' | 'qr' }
  | { kind: 'qr' }
  | {
      kind: 'apm';
      scheme: 'redirect' | 'voucher';
      payerName: string;
      payerEmail: string;
      country: string;
      bankCode?: string;
    }
  | { kind: 'bank_transfer'; payerName?: string; payerIban?: string }
  | { kind: 'direct_debit'; mandateId: string }
  | { kind: 'crypto'; asset: 'BTC' | 'ETH' | 'USDT' }
  | { kind: 'hosted_page' };

/** A debtor's permission to collect from an account (SEPA Direct Debit Core Rulebook, 4.8: DS-01). */
export interface Mandate {
  mandateId: string;
  iban: string;
  accountHolder: string;
  /** RFC 3339 UTC */
  signedAt: string;
  /** FRST or RCUR: whether an earlier collection used it. */
  first: boolean;
}

/** What the payer pays with, complete, on its way to a processor. Never logged, stored or returned. */
export type Instrument =
  | { kind: 'card'; card: CardData }
  /** A card out of a wallet token, with its one-time cryptogram in place of a CVV; none on a card number alone. */
  | { kind: 'wallet'; wallet: 'first' | 'second'; card: CardData; cryptogram?: string }
  | { kind: 'direct_debit'; mandate: Mandate }
  | Exclude<StoredInstrument, { kind: 'wallet' | 'direct_debit' }>;

/** Identifies one call at the processor, however often it is made: `<workflow id>/<step>`. */
export interface ProcessorCall {
  idempotencyKey: string;
}

/** Where to look for a payment at a processor that cannot be asked by our reference alone. */
export interface PaymentTrace {
  /** What the processor calls the payment, where it has told us. */
  processorReference?: string;
  /** When the payment was last sent there. */
  sentAt?: Date;
}

export interface AuthorizeRequest extends ProcessorCall {
  /** Our own id of the payment: the processor stores it and can be asked for it. */
  reference: string;
  money: Money;
  /** true: authorize and capture in one step. */
  capture: boolean;
  instrument: Instrument;
  threeDS: 'auto' | 'required' | 'none';
  /** Why the payer need not authenticate, for the issuer; only with `threeDS: none`. */
  exemption?: Exemption;
  /** The processor has answered this payment `soft_declined`: it is asked once more, under another key, with 3-D Secure. */
  softDeclined?: { processorReference?: string };
  /** Merchant-initiated follow-up of an earlier payment with the payer's agreement: no 3-D Secure. */
  recurring?: { initial: boolean; originalReference?: string };
  browser?: Record<string, unknown>;
  /** Where the payer's browser goes when the processor's page is done. */
  returnUrl?: string;
  descriptor?: string;
  payer?: { firstName?: string; lastName?: string; email?: string; country?: string; ipAddress?: string };
}

export interface AuthenticationRequest extends ProcessorCall {
  reference: string;
  /** The challenge response of EMV 3-D Secure as the access control server sent it (base64url). */
  cres: string;
}

export interface CaptureRequest extends ProcessorCall {
  reference: string;
  trace?: PaymentTrace;
  money: Money;
}

export interface VoidRequest extends ProcessorCall {
  reference: string;
  trace?: PaymentTrace;
}

export interface RefundRequest extends ProcessorCall {
  /** Our own id of the payment. */
  paymentReference: string;
  /** Our own id of the refund. */
  refundReference: string;
  /** Of the payment. */
  trace?: PaymentTrace;
  money: Money;
}

/**
 * One line of a processor's settlement report. Amounts are positive; the kind says the direction. An incoming transfer that
 * counts towards no payment stands in place of one: a `capture` when it came, a `refund` when it went to a payment or back.
 * So does a payout: a `refund` when it went out, a `capture` when it came back, each under our payout id.
 */
export interface SettlementLine {
  lineId: string;
  kind: 'capture' | 'refund' | 'chargeback' | 'chargeback_reversal';
  /**
   * Our reference: payment id for captures and chargebacks, refund id for refunds. The processor's id of a transfer that
   * came, or was counted towards a payment; our reference of its return.
   */
  reference: string;
  /** The payment; of a transfer that counts towards none, the processor's id of it. */
  paymentReference: string;
  money: Money;
  /** Negative where the processor gives a fee back. */
  feeMinor: bigint;
}

export interface SettlementReport {
  batchId: string;
  /** RFC 3339 UTC */
  closedAt: string;
  lines: SettlementLine[];
}

/**
 * A processor's callback in our words. `reference` is our payment id, or our refund id for refund events; where a processor
 * says neither, what it calls the payment itself.
 */
export interface ProcessorEvent {
  /** Unique per processor; the digest of the raw request where the processor sends none. */
  eventId: string;
  reference: string;
  type:
    | 'authenticated'
    | 'authentication_failed'
    | 'authorized'
    | 'captured'
    | 'settled'
    | 'voided'
    | 'refunded'
    | 'refund_declined'
    | 'failed'
    | 'pending'
    /** The payer has done their part and the processor works on it: confirmations, a collection under way. */
    | 'processing'
    /** Money arrived on an account that was given to the payer; `reference` is that account, or the text that came along. */
    | 'transfer_received'
    | 'charged_back'
    /** The payer's bank returned a direct debit: a chargeback that cannot be contested. */
    | 'returned'
    /** The second presentment was accepted: the money is back until the processor has decided. */
    | 'second_presentment'
    | 'chargeback_won'
    | 'chargeback_lost'
    /** A transfer that we sent reached its beneficiary, came back, or was refused; `reference` is our payout id. */
    | 'payout_settled'
    | 'payout_returned'
    | 'payout_refused'
    | 'settlement_batch'
    /** The issuer has renewed, replaced or closed a card; `reference` is what it was last used for. */
    | 'card_update'
    | 'unknown';
  /** The processor's own word for its status. */
  processorStatus: string;
  money?: Money;
  /** RFC 3339 UTC, as the processor states it. */
  occurredAt?: string;
  processorReference?: string;
  /** On `failed`; and whether it was for want of authentication alone. */
  code?: ResultCode;
  isSoft?: boolean;
  /** On authentication results. */
  cres?: string;
  /** On events of a dispute: the processor's case. */
  caseId?: string;
  reason?: string;
  /** On `captured`, where there is more to say than that. */
  detail?: string;
  /** On `settlement_batch`. */
  batchId?: string;
  /** On `card_update`: what the processor is asked about. The callback itself carries no card data. */
  updateId?: string;
  /** On `transfer_received`: the processor's own id of the transfer, the same in every report of it. */
  transferId?: string;
  /** On `transfer_received`: its sender's name. */
  payerName?: string;
}

/** What a callback may be about. Every place that must decide what an event means is a Record over these. */
export type ProcessorEventType = ProcessorEvent['type'];

export interface DisputeCall extends ProcessorCall {
  /** The processor's own id of the case. */
  caseId: string;
}

export interface EvidenceRequest extends DisputeCall {
  /** Our own id of this evidence. */
  evidenceReference: string;
  text: string;
  documents: { name: string; contentType: string; content: Buffer }[];
}

/** Where a dispute stands at the processor. */
export type DisputeStage = 'open' | 'evidence_submitted' | 'presented' | 'second_presentment' | 'won' | 'lost';

/**
 * What a processor says about a dispute. `stands`: it took the call, or was only asked. `refused`: it will not take it, for
 * certain, and says where the dispute stands if it knows. A call answered by anything else is made again, same key.
 */
export type DisputeAnswer =
  | { kind: 'stands'; stage: DisputeStage; money: Money }
  | { kind: 'refused'; detail: string; stage?: DisputeStage; money?: Money }
  | { kind: 'not_found' }
  | { kind: 'unknown'; detail: string };

/** The dispute API of a processor that has one. Without it, evidence goes by other ways and only callbacks tell. */
export interface DisputeCapability {
  submitEvidence(request: EvidenceRequest): Promise<DisputeAnswer>;
  /** The second presentment: charges the payer's bank once more, on the evidence submitted. */
  present(call: DisputeCall): Promise<DisputeAnswer>;
  /** Gives up: the money stays with the payer. */
  accept(call: DisputeCall): Promise<DisputeAnswer>;
  inquire(caseId: string): Promise<DisputeAnswer>;
}

export interface TransferCall extends ProcessorCall {
  /** The processor's own id of the transfer. */
  transferId: string;
}

/** The API of a processor that keeps incoming transfers which it can count towards no payment. */
export interface IncomingTransferCapability {
  /** Counts the transfer towards a payment that waits for one, as if it had come on its account. */
  assign(request: TransferCall & { paymentReference: string }): Promise<AssignAnswer>;
  /** Sends it back to its sender. `returnReference`: our own id of the return. */
  giveBack(request: TransferCall & { returnReference: string }): Promise<ReturnAnswer>;
  inquire(transferId: string): Promise<TransferInquiry>;
}

/** A transfer out of what a processor owes us. The account number lives in memory only. */
export interface OutgoingTransferRequest extends ProcessorCall {
  /** Our own id of the payout: the processor stores it and can be asked for it. */
  reference: string;
  money: Money;
  beneficiary: { iban: string; bic?: string; holder: string };
  /** What the beneficiary reads on the statement of the account. */
  text: string;
}

/** The API of a processor that sends transfers to accounts which we name. */
export interface OutgoingTransferCapability {
  send(request: OutgoingTransferRequest): Promise<SendPayoutAnswer>;
  /** Asks by our own reference what became of it. */
  inquire(reference: string): Promise<PayoutInquiry>;
}

/** A callback exactly as it came over the wire. */
export interface RawCallback {
  method: 'GET' | 'POST';
  /** Path without the query. */
  path: string;
  /** The query string without the question mark, undecoded. */
  query: string;
  /** Lower-cased names. */
  headers: Record<string, string | undefined>;
  body: Buffer;
}

/** One receiver path of the service description. Verification, parsing and meaning are separate steps. */
export interface CallbackReceiver {
  /** The last path segment, such as `processor_a-refund`. */
  name: string;
  method: 'GET' | 'POST';
  /** True where the processor signs nothing: what arrives is a hint, and `Connector.confirm` finds out what is true. */
  unsigned?: boolean;
  /** True when the signature over the raw bytes is right. Constant time. Never throws. */
  verify(raw: RawCallback, secret: string): boolean;
  /** Our words for it. Throws DomainError `malformed_callback` when it cannot be read. An unknown status word is `pending`. */
  parse(raw: RawCallback): ProcessorEvent;
}

/** What a processor can do. The contract suite holds each connector to what it declares here. */
export interface Capabilities {
  readonly kinds: readonly PaymentKind[];
  /** Authorizes now and captures later, in part too. */
  readonly manualCapture: boolean;
  readonly partialRefund: boolean;
  /** Verifies cards by an authorization of zero, with 3-D Secure. Absent: it does not. */
  readonly verifiesCards?: boolean;
  /** Tells the issuer which exemption from authentication is asked for. Absent: its requests have no place for it. */
  readonly exemptions?: boolean;
}

/** One processor: its wire format, its status words, its callbacks, and nothing else. No database, no engine. */
export interface Connector {
  readonly processor: ProcessorId;
  readonly name: string;
  readonly capabilities: Capabilities;
  /** For how long after the last send "not found" is no answer, in milliseconds, where PROCESSOR_IN_FLIGHT_MS is too short. */
  readonly inFlightMs?: number;
  authorize(request: AuthorizeRequest): Promise<AuthorizeAnswer>;
  /** Where 3-D Secure comes back to us. Absent: the processor goes on by itself once its payer has authenticated. */
  completeAuthentication?(request: AuthenticationRequest): Promise<PaymentInquiry>;
  capture(request: CaptureRequest): Promise<CaptureAnswer>;
  void(request: VoidRequest): Promise<VoidAnswer>;
  refund(request: RefundRequest): Promise<RefundAnswer>;
  /** Asks by our own reference what became of a payment. */
  inquirePayment(reference: string, trace?: PaymentTrace): Promise<PaymentInquiry>;
  /** `trace`: of the payment that is refunded. */
  inquireRefund(refundReference: string, trace?: PaymentTrace): Promise<RefundInquiry>;
  /** One closed batch, whole. Throws ProcessorUnavailable when it cannot be had now. */
  settlementReport(batchId: string): Promise<SettlementReport>;
  /** Ids of the batches closed at `since` (RFC 3339 UTC) or later, oldest first. Throws ProcessorUnavailable. */
  settlementBatches(since: string): Promise<string[]>;
  readonly disputes?: DisputeCapability;
  /** Absent: a transfer that matches nothing can neither be matched nor returned from here. */
  readonly transfers?: IncomingTransferCapability;
  /** Absent: nothing can be paid out through this processor. */
  readonly payouts?: OutgoingTransferCapability;
  /**
   * What an announced update of a card says. Undefined: no such update of that reference. Throws ProcessorUnavailable when it
   * cannot be had now. Only where `card_update` is announced.
   */
  cardUpdate?(updateId: string, reference: string): Promise<CardUpdate | undefined>;
  readonly receivers: readonly CallbackReceiver[];
  /** What is true about an unsigned callback. Undefined: it knows nothing. Throws ProcessorUnavailable when it cannot be asked. */
  confirm?(hint: ProcessorEvent): Promise<ProcessorEvent | undefined>;
}

/** Every connector that is switched on. */
export interface Connectors {
  /** Throws RangeError for a processor that has no connector. */
  get(processor: ProcessorId): Connector;
  find(processor: ProcessorId): Connector | undefined;
  /** Whose callbacks arrive at `/callbacks/<name>`, and how they are read. */
  receiver(name: string): { processor: ProcessorId; receiver: CallbackReceiver; key: string } | undefined;
  all(): readonly Connector[];
}

/** A read from a processor that did not work and may be repeated. */
export class ProcessorUnavailable extends Error {
  override readonly name = 'ProcessorUnavailable';
}
