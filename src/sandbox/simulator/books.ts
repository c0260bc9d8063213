import { randomUUID } from 'node:crypto';
import type { DisputeStage, PaymentKind, ProcessorId, SettlementLine } from '../../domain/connector';
import { type PaymentStatus, statusAfterCapture } from '../../domain/states/payment';
import type { CardBehaviour, DeclineReason } from './cards';
import { Journal, type JournalStep } from './journal';
import type { Notice } from './notice';

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

export interface QueuedCallback {
  /** The event id of the notice. */
  id: string;
  notice: Notice;
  /** Milliseconds since 1970: not sent earlier. */
  dueAt: number;
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

interface Kinds {
  letter: Letter;
  cardChange: CardChange;
  charge: Charge;
  refund: Refund;
  dispute: Dispute;
  line: Line;
  batch: Batch;
  answer: KeptAnswer;
  requests: RequestCount;
  callback: QueuedCallback;
}

/** What all simulated processors have done, in memory and in the journal. Every change is one call of `atomically`. */
export class Books {
  private readonly entities: { [K in keyof Kinds]: Map<string, Kinds[K]> } = {
    charge: new Map(),
    refund: new Map(),
    dispute: new Map(),
    line: new Map(),
    batch: new Map(),
    answer: new Map(),
    requests: new Map(),
    callback: new Map(),
    letter: new Map(),
    cardChange: new Map(),
  };
  private readonly chargesByReference = new Map<string, Charge[]>();
  private readonly chargesByChallenge = new Map<string, Charge>();
  private readonly refundsByReference = new Map<string, Refund>();
  private readonly refundsByCharge = new Map<string, Refund[]>();
  private readonly unsettled = new Map<ProcessorId, Map<string, Line>>();
  private readonly journal: Journal;
  private step: Required<JournalStep> = { save: [], remove: [] };
  private depth = 0;

  /** @param path file of the journal; made when it is not there. */
  constructor(path: string) {
    this.journal = Journal.open(
      path,
      (step) => this.replay(step),
      () => this.snapshot(),
    );
  }

  close(): void {
    this.journal.close();
  }

  /** Runs `change`; all that it saves becomes one line of the journal, written before this returns. */
  atomically<T>(change: () => T): T {
    this.depth += 1;
    try {
      return change();
    } finally {
      this.depth -= 1;
      if (this.depth === 0) this.flush();
    }
  }

  save<K extends keyof Kinds>(kind: K, entity: Kinds[K]): void {
    this.put(kind, entity);
    this.step.save.push([kind, entity]);
    if (this.depth === 0) this.flush();
  }

  remove(kind: keyof Kinds, id: string): void {
    if (!this.entities[kind].delete(id)) return;
    this.step.remove.push([kind, id]);
    if (this.depth === 0) this.flush();
  }

  get<K extends keyof Kinds>(kind: K, id: string): Kinds[K] | undefined {
    return this.entities[kind].get(id);
  }

  all<K extends keyof Kinds>(kind: K): IterableIterator<Kinds[K]> {
    return this.entities[kind].values();
  }

  /** Every charge of a payment, oldest first: more than one means that it was charged under several keys. */
  charges(processor: ProcessorId, reference: string): readonly Charge[] {
    return this.chargesByReference.get(`${processor}:${reference}`) ?? [];
  }

  /** The charge that answers for a payment: the latest that was not refused, else the latest. */
  charge(processor: ProcessorId, reference: string): Charge | undefined {
    const charges = this.charges(processor, reference);
    return (
      charges.findLast(({ status }) => status !== 'declined' && status !== 'authentication_failed') ?? charges.at(-1)
    );
  }

  chargeOfChallenge(id: string): Charge | undefined {
    return this.chargesByChallenge.get(id);
  }

  refund(processor: ProcessorId, reference: string): Refund | undefined {
    return this.refundsByReference.get(`${processor}:${reference}`);
  }

  refundsOf(charge: Charge): readonly Refund[] {
    return this.refundsByCharge.get(charge.id) ?? [];
  }

  requestsOf(charge: Charge): number {
    return this.entities.requests.get(`${charge.processor}:${charge.idempotencyKey}`)?.requests ?? 0;
  }

  unsettledLines(processor: ProcessorId, limit: number): Line[] {
    const lines: Line[] = [];
    for (const line of this.unsettled.get(processor)?.values() ?? []) {
      if (lines.length === limit) break;
      if (!line.notBefore || line.notBefore <= Date.now()) lines.push(line);
    }
    return lines;
  }

  private put<K extends keyof Kinds>(kind: K, entity: Kinds[K]): void {
    const known = this.entities[kind].has(entity.id);
    this.entities[kind].set(entity.id, entity);
    if (kind === 'charge') this.indexCharge(entity as Charge);
    if (kind === 'refund') this.indexRefund(entity as Refund);
    if (kind === 'line') this.indexLine(entity as Line, known);
    if (kind === 'batch' && !known) this.settle(entity as Batch);
  }

  private indexCharge(charge: Charge): void {
    replaceIn(this.chargesByReference, `${charge.processor}:${charge.reference}`, charge);
    if (charge.challenge) this.chargesByChallenge.set(charge.challenge.id, charge);
  }

  private indexRefund(refund: Refund): void {
    this.refundsByReference.set(`${refund.processor}:${refund.reference}`, refund);
    replaceIn(this.refundsByCharge, refund.chargeId, refund);
  }

  private indexLine(line: Line, known: boolean): void {
    // One that is in a batch already stays there.
    if (known && !this.unsettled.get(line.processor)?.has(line.id)) return;
    const lines = this.unsettled.get(line.processor) ?? new Map<string, Line>();
    this.unsettled.set(line.processor, lines.set(line.id, line));
  }

  private settle(batch: Batch): void {
    for (const id of batch.lineIds) {
      this.unsettled.get(batch.processor)?.delete(id);
      const line = this.entities.line.get(id);
      const charge = line?.kind === 'capture' ? this.entities.charge.get(line.chargeId) : undefined;
      if (charge) charge.settled = true;
    }
  }

  private flush(): void {
    if (this.step.save.length === 0 && this.step.remove.length === 0) return;
    const step = this.step;
    this.step = { save: [], remove: [] };
    this.journal.append(step);
  }

  private replay({ save = [], remove = [] }: JournalStep): void {
    for (const [kind, entity] of save) this.put(kind as keyof Kinds, entity as never);
    for (const [kind, id] of remove) this.entities[kind as keyof Kinds].delete(id);
  }

  private *snapshot(): Iterable<JournalStep> {
    for (const kind of Object.keys(this.entities) as (keyof Kinds)[])
      for (const entity of this.entities[kind].values()) yield { save: [[kind, entity]] };
  }
}

/** Puts an entity where the one with its id was, else at the end. */
function replaceIn<T extends { id: string }>(index: Map<string, T[]>, key: string, entity: T): void {
  const list = index.get(key);
  if (!list) {
    index.set(key, [entity]);
    return;
  }
  const position = list.findIndex(({ id }) => id === entity.id);
  if (position === -1) list.push(entity);
  else list[position] = entity;
}

/** A random id: `<prefix>_<32 hexadecimal digits>`. */
export function makeId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll('-', '')}`;
}

/** The payer had a time to answer, and it is over. */
export function payerIsLate({ challenge }: Charge): boolean {
  return challenge !== undefined && Date.parse(challenge.expiresAt) <= Date.now();
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
