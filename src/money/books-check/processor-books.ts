import type { Knex } from 'knex';
import type { ProcessorId } from '../../domain/connector';
import type { PaymentRow } from '../payments/payment';
import type { ReceiptRow } from '../payments/receipt';
import { type Finding, MOST_FINDINGS } from './check';

/** What a processor says it did, by our payment id. Amounts in minor units of `currency`. */
export interface ProcessorCharge {
  reference: string;
  currency: string;
  status: string;
  captured: bigint;
  refunded: bigint;
}

/** The books of each processor: its charges in the order of their references. */
export type ProcessorBooks = Partial<Record<ProcessorId, AsyncIterable<ProcessorCharge>>>;

/** How a processor's books compare. */
export interface Compared {
  compared: number;
  /** Whose outcome is still being established, or that are younger than the grace. */
  open: number;
  /** The first, at most `MOST_FINDINGS`. */
  findings: Finding[];
  /** How many there are in all. */
  total: number;
}

const PAGE = 1_000;

type OurPayment = Pick<PaymentRow, 'id' | 'processor' | 'captured_minor' | 'refunded_minor'> & { is_open: boolean };

/**
 * Holds the processors' books against ours, in one pass over both: a page of payments, and the charges up to its end. Memory
 * does not grow with them. Payments whose outcome is still being established are counted, not judged; so are those that have
 * changed within `graceMs` (milliseconds), which are left out before anything is compared. Runs as the ops role. Throws
 * RangeError when charges come out of order. `from`: payments and charges up to this reference are left out of both.
 */
export async function auditProcessors(
  ops: Knex,
  books: ProcessorBooks,
  graceMs = 0,
  from = '',
): Promise<Map<ProcessorId, Compared>> {
  const readers = Object.entries(books).map(([processor, charges]) => new Reader(processor as ProcessorId, charges));
  let after = from;
  for (;;) {
    const page = await nextPayments(ops, after, graceMs);
    const isLast = page.length < PAGE;
    const end = isLast ? undefined : page.at(-1)!.id;
    await compare(ops, page, readers, end);
    if (end === undefined) break;
    after = end;
  }
  return new Map(readers.map(({ processor, result }) => [processor, result]));
}

async function nextPayments(ops: Knex, after: string, graceMs: number): Promise<OurPayment[]> {
  const { rows } = await ops.raw(
    `SELECT id, processor, captured_minor, refunded_minor, unknown_since IS NOT NULL OR status = 'pending'
       OR refund_reserved_minor > 0 OR EXISTS (SELECT 1 FROM payment_operations o WHERE o.payment_id = p.id AND o.status = 'pending')
       OR EXISTS (SELECT 1 FROM unapplied_receipts u WHERE u.payment_id = p.id AND u.is_taken AND u.status = 'returning') AS is_open
     FROM payments p WHERE id > :after AND updated_at <= clock_timestamp() - :graceMs * interval '1 millisecond'
     ORDER BY id LIMIT ${PAGE}`,
    { after, graceMs },
  );
  return rows;
}

/** One page of payments against the charges of all processors up to its `end`; without an end, all that are left. */
async function compare(ops: Knex, page: OurPayment[], readers: Reader[], end: string | undefined): Promise<void> {
  const ours = new Map(page.map((payment) => [payment.id, payment]));
  const kept = await refusedReceipts(ops, [...ours.keys()]);
  for (const reader of readers) {
    const { processor, result } = reader;
    const note = (subject: string, detail: string) => {
      result.total += 1;
      const check = `our view and that of processor ${processor} agree`;
      if (result.findings.length < MOST_FINDINGS) result.findings.push({ check, subject, detail });
    };
    const charged = new Set<string>();
    let unknown: ProcessorCharge[] = [];
    const judgeUnknown = async () => {
      const young = new Set<string>(
        await ops('payments')
          .whereIn(
            'id',
            unknown.map(({ reference }) => reference),
          )
          .pluck('id'),
      );
      for (const charge of unknown)
        if (young.has(charge.reference)) result.open += 1;
        else if (charge.captured > charge.refunded)
          note(charge.reference, describe(charge, 'the processor took money for a payment we do not have'));
      unknown = [];
    };
    for await (const charge of reader.until(end)) {
      result.compared += 1;
      const payment = ours.get(charge.reference);
      if (charge.captured > 0n) charged.add(charge.reference);
      if (!payment) {
        unknown.push(charge);
        if (unknown.length === PAGE) await judgeUnknown();
      } else if (payment.is_open) result.open += 1;
      else {
        const detail = disagreement(payment, charge, processor, kept);
        if (detail) note(charge.reference, describe(charge, detail));
      }
    }
    if (unknown.length > 0) await judgeUnknown();
    for (const { id, captured_minor, is_open, processor: served } of page)
      if (served === processor && captured_minor > 0n && !is_open && !charged.has(id))
        note(id, `we hold ${captured_minor} as captured; the processor has charged nothing`);
  }
}

/** What nobody asked for and the processor does not give back is in suspense, as the books say. */
async function refusedReceipts(ops: Knex, payments: string[]): Promise<ReceiptRow[]> {
  return ops('unapplied_receipts').where({ is_taken: true, status: 'refused' }).whereIn('payment_id', payments);
}

/** What is not as it must be between a payment and a charge of a processor; undefined where they agree. */
function disagreement(
  payment: OurPayment,
  { reference, captured, refunded }: ProcessorCharge,
  processor: ProcessorId,
  refused: ReceiptRow[],
): string | undefined {
  const isKept = refused.some(
    (receipt) =>
      receipt.payment_id === reference &&
      receipt.processor === processor &&
      receipt.amount_minor === captured - refunded,
  );
  if (isKept) return undefined;
  if (payment.processor !== processor)
    return captured > refunded ? `the payment went to processor ${payment.processor}` : undefined;
  if (payment.captured_minor !== captured && captured !== refunded)
    return `we hold ${payment.captured_minor} as captured`;
  if (payment.captured_minor > 0n && captured > 0n && payment.refunded_minor !== refunded)
    return `we hold ${payment.refunded_minor} as refunded`;
  return undefined;
}

const describe = ({ captured, refunded }: ProcessorCharge, detail: string) =>
  `captured ${captured}, refunded ${refunded} there; ${detail}`;

/** Reads the charges of one processor as far as they are wanted. */
class Reader {
  readonly result: Compared = { compared: 0, open: 0, findings: [], total: 0 };
  private readonly charges: AsyncIterator<ProcessorCharge>;
  private next: ProcessorCharge | undefined;
  private last = '';

  constructor(
    readonly processor: ProcessorId,
    charges: AsyncIterable<ProcessorCharge>,
  ) {
    this.charges = charges[Symbol.asyncIterator]();
  }

  /** The charges up to a reference, it included; without one, all that are left. */
  async *until(end: string | undefined): AsyncGenerator<ProcessorCharge> {
    for (;;) {
      this.next ??= await this.read();
      if (!this.next || (end !== undefined && this.next.reference > end)) return;
      const charge = this.next;
      this.next = undefined;
      yield charge;
    }
  }

  private async read(): Promise<ProcessorCharge | undefined> {
    const { value, done } = await this.charges.next();
    if (done) return undefined;
    if (value.reference < this.last)
      throw new RangeError(`the charges of processor ${this.processor} are out of order`);
    this.last = value.reference;
    return value;
  }
}
