import { randomUUID } from 'node:crypto';
import type { DisputeStage, PaymentKind, ProcessorId, SettlementLine } from '../../domain/connector';
import type { Exemption } from '../../domain/exemption';
import { type PaymentStatus, statusAfterCapture } from '../../domain/states/payment';
import type { CardBehaviour, DeclineReason } from './cards';

/** `waiting`: for the payer to pay; `processing`: the payer has, and confirmations or a collection are under way. */
export type ChargeStatus =
  | 'challenge'
  | 'waiting'
  | 'processing'
  | 'authorized'
  | 'captured'
  | 'cancelled'
  | 'declined'
  | 'authentication_failed';

/** What a processor did with one payment. Of the card only what cannot be used to pay. */
export interface Charge {
  id: string;
  processor: ProcessorId;
  /** The other side's id of the payment. Two charges with one reference are a payment charged twice. */
  reference: string;
  idempotencyKey: string;
  amountMinor: bigint;
  currency: string;
  /** Capture as soon as it is authorized. */
  capture: boolean;
  /** Absent in journals from before there were other kinds than cards. */
  kind?: PaymentKind;
  status: ChargeStatus;
  capturedMinor: bigint;
  /** Refunds that succeeded. */
  refundedMinor: bigint;
  /** Refunds being worked on. */
  refundingMinor: bigint;
  chargedBackMinor: bigint;
  /** Back by a second presentment, until it is decided. */
  contestedMinor?: bigint;
  settled: boolean;
  card?: { brand: string; last4: string; behaviour: CardBehaviour };
  /** What the processor told its caller to show the payer, and what it keeps of the order, in the processor's words. */
  details?: Record<string, string>;
  /** What the payer has sent so far, where that may be less or more than was asked for. */
  receivedMinor?: bigint;
  /** The money came after the payment had ended. */
  late?: boolean;
  /** What becomes of a direct debit at the payer's bank, where it is not simply paid. */
  collection?: DeclineReason | 'returned';
  /** Confirmations or other steps on the way, so far and in all. */
  steps?: { done: number; of: number };
  /** The answer to the order never leaves. */
  silent?: boolean;
  frictionless?: boolean;
  /** Why its payer need not authenticate, as the order said; and what the issuer did not accept before. */
  exemption?: Exemption;
  refusedExemption?: Exemption;
  /** Why it was declined, in the simulator's words. */
  reason?: string;
  challenge?: Challenge;
  /** The latest dispute. */
  caseId?: string;
  returnUrl?: string;
  descriptor?: string;
  createdAt: string;
  capturedAt?: string;
}

export interface Challenge {
  /** Also the `acsTransID` of the challenge response. */
  id: string;
  expiresAt: string;
  outcome?: PageOutcome;
}

/** The buttons of a payer's page. Transfers and crypto payments may bring too little or too much. */
export type PageOutcome = 'authenticated' | 'failed' | 'underpaid' | 'overpaid';

export interface Refund {
  id: string;
  processor: ProcessorId;
  reference: string;
  paymentReference: string;
  chargeId: string;
  amountMinor: bigint;
  currency: string;
  status: 'pending' | 'refunded' | 'declined';
  createdAt: string;
}

/** Money that somebody sent to an account of the processor. */
export interface Transfer {
  id: string;
  processor: ProcessorId;
  iban: string;
  amountMinor: bigint;
  currency: string;
  /** What its sender wrote. */
  text: string;
  payerName?: string;
  /** `held`: it counts towards no payment. */
  status: 'held' | 'assigned' | 'returned';
  paymentReference?: string;
  returnReference?: string;
  createdAt: string;
}

/** Money that the processor sends to an account which its caller named. Of the account only what is shown of it. */
export interface SentTransfer {
  id: string;
  processor: ProcessorId;
  /** The caller's id of it. Two with one reference are money sent twice. */
  reference: string;
  idempotencyKey: string;
  ibanLast4: string;
  holder: string;
  amountMinor: bigint;
  currency: string;
  text: string;
  status: 'accepted' | 'settled' | 'returned' | 'refused';
  /** Comes back once it has gone out. */
  comesBack: boolean;
  /** The answer to the order never leaves. */
  silent?: boolean;
  /** Why it was refused or came back, in the simulator's words. */
  reason?: PayoutReason;
  createdAt: string;
}

export type PayoutReason = 'account_closed' | 'no_such_account';

/** A chargeback and what became of it. */
export interface Dispute {
  /** The case id. */
  id: string;
  processor: ProcessorId;
  chargeId: string;
  reference: string;
  amountMinor: bigint;
  currency: string;
  reason: string;
  stage: DisputeStage;
  /** The money is back by a second presentment, until it is decided. */
  isBack: boolean;
  /** The merchant's texts, by the merchant's ids of them. Documents are counted, not kept. */
  evidence: { reference: string; text: string; documents: number }[];
  /** RFC 3339 UTC: when the sandbox takes the next step by itself. */
  dueAt?: string;
}

/** What an issuer has done with a card. A new number is made of the id whenever it is asked for, and never kept. */
export interface CardChange {
  id: string;
  processor: ProcessorId;
  /** Of the payment the card was last used for. */
  reference: string;
  kind: 'renewed' | 'replaced' | 'closed';
  expiryMonth: string;
  expiryYear: string;
}

/** A movement that the next settlement batch will hold. */
export interface Line {
  id: string;
  processor: ProcessorId;
  chargeId: string;
  kind: SettlementLine['kind'];
  reference: string;
  paymentReference: string;
  amountMinor: bigint;
  currency: string;
  feeMinor: bigint;
  /** Milliseconds since 1970: held back from every batch until then. */
  notBefore?: number;
}

export interface Batch {
  id: string;
  processor: ProcessorId;
  closedAt: string;
  lineIds: string[];
  /** What its report says in place of these lines, by their ids: nothing, or something wrong. */
  misreported?: Record<string, Line[]>;
  /** Neither announced nor listed. */
  hidden?: boolean;
}

/** The first answer to an idempotency key, given again to every repeat. */
export interface KeptAnswer {
  /** `<processor>:<key>` */
  id: string;
  /** Tells a repeat from another request under the same key. Made of nothing secret. */
  fingerprint: string;
  status: number;
  text: string;
  /** JSON where absent. */
  contentType?: string;
  /** The answer never leaves (test card 4000000000006975). */
  silent?: boolean;
}

/** How often a charge was asked for under one key, repeats included. */
export interface RequestCount {
  /** `<processor>:<key>` */
  id: string;
  requests: number;
}

/** An e-mail or SMS that the sandbox has sent. */
export interface Letter {
  id: string;
  channel: 'email' | 'sms';
  from: string;
  to: string;
  subject?: string;
  text: string;
  receivedAt: string;
}

/** A transfer that counts towards no payment yet. */
export function newTransfer(sent: Omit<Transfer, 'id' | 'status' | 'createdAt'>): Transfer {
  return { ...sent, id: makeId('tr'), status: 'held', createdAt: new Date().toISOString() };
}

/** A random id: `<prefix>_<32 hexadecimal digits>`. */
export function makeId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`;
}

/** The payer had a time to answer, has not, and it is over. */
export function payerIsLate({ challenge }: Charge): boolean {
  return challenge !== undefined && !challenge.outcome && Date.parse(challenge.expiresAt) <= Date.now();
}

/** The state of a charge in the words of the platform's API. */
export function paymentStatusOf(charge: Charge): PaymentStatus {
  switch (charge.status) {
    case 'challenge':
    case 'waiting':
      return 'requires_action';
    case 'processing':
      return 'pending';
    case 'authorized':
    case 'cancelled':
      return charge.status;
    case 'declined':
    case 'authentication_failed':
      return 'failed';
    case 'captured':
      return statusAfterCapture(charge);
  }
}

/** Where a charge stands, in words that all processors share; each has its own for every one of them. */
export type Standing =
  | ChargeStatus
  /** A part came, and the rest is waited for. */
  | 'part_received'
  /** The payer's time ran out. */
  | 'lapsed'
  | 'settled'
  | 'part_refunded'
  | 'refunded'
  | 'charged_back';

export function standingOf(charge: Charge): Standing {
  const { status, receivedMinor = 0n, chargedBackMinor, refundedMinor, capturedMinor, settled } = charge;
  switch (status) {
    case 'challenge':
    case 'waiting':
      return receivedMinor > 0n ? 'part_received' : status;
    case 'cancelled':
      return payerIsLate(charge) ? 'lapsed' : status;
    case 'captured':
      if (chargedBackMinor > 0n) return 'charged_back';
      if (refundedMinor >= capturedMinor) return 'refunded';
      if (refundedMinor > 0n) return 'part_refunded';
      return settled ? 'settled' : status;
    default:
      return status;
  }
}
