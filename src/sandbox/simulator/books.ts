import type { ProcessorId } from '../../domain/connector';
import { Journal, type JournalStep } from './journal';
import type { QueuedCallback } from './notice';
import type {
  Batch,
  CardChange,
  Charge,
  Dispute,
  KeptAnswer,
  Letter,
  Line,
  Refund,
  RequestCount,
  SentTransfer,
  Transfer,
} from './records';

interface Kinds {
  letter: Letter;
  cardChange: CardChange;
  charge: Charge;
  refund: Refund;
  transfer: Transfer;
  sentTransfer: SentTransfer;
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
    transfer: new Map(),
    sentTransfer: new Map(),
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
  /** The references of each processor's charges, sorted once they are asked for. */
  private readonly sortedReferences = new Map<ProcessorId, string[]>();
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

  /** Up to `limit` references of charges that come after one, in their order. */
  referencesAfter(processor: ProcessorId, after: string, limit: number): string[] {
    let sorted = this.sortedReferences.get(processor);
    if (!sorted) {
      const own = [...this.all('charge')].filter((charge) => charge.processor === processor);
      sorted = [...new Set(own.map(({ reference }) => reference))].sort();
      this.sortedReferences.set(processor, sorted);
    }
    const start = sorted.findIndex((reference) => reference > after);
    return start === -1 ? [] : sorted.slice(start, start + limit);
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

  requestsOf(charge: Pick<Charge, 'processor' | 'idempotencyKey'>): number {
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

  /** Takes a line back that no batch holds yet. */
  removeUnsettledLine(kind: Line['kind'], processor: ProcessorId, reference: string): void {
    for (const line of this.unsettled.get(processor)?.values() ?? [])
      if (line.kind === kind && line.reference === reference) {
        this.unsettled.get(processor)?.delete(line.id);
        this.remove('line', line.id);
        return;
      }
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
    if (this.charges(charge.processor, charge.reference).length === 0) this.sortedReferences.delete(charge.processor);
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
