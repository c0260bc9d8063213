import type { ProcessorId } from '../../domain/connector';
import type { Books } from './books';
import type { CallbackSender } from './callbacks';
import type { Fault, Faults } from './faults';
import { type Batch, type Line, makeId } from './records';
import { Refusal } from './refusal';

/** More wait for the next batch. */
const LINES_PER_BATCH = 5_000;

interface SettlementParts {
  books: Books;
  callbacks: CallbackSender;
  faults: Faults;
}

/**
 * Closes what a processor moved since the last time into a batch, and announces it. Nothing moved: no batch. Faults that
 * were ordered change what the report says, never the books.
 */
export function closeBatch({ books, callbacks, faults }: SettlementParts, processor: ProcessorId): Batch | undefined {
  const lines = books.unsettledLines(processor, LINES_PER_BATCH);
  if (lines.length === 0) return undefined;
  return books.atomically(() => {
    const faulty = faults.list(processor).some(({ on }) => on === 'settlement');
    const report = faulty ? misreport(faults, processor, lines) : { kept: lines, hidden: [], misreported: {} };
    for (const line of report.held ?? []) books.save('line', line);
    if (report.hidden.length > 0) books.save('batch', { ...batchOf(processor, report.hidden), hidden: true });
    if (report.kept.length === 0) return undefined;
    const batch: Batch = { ...batchOf(processor, report.kept), misreported: report.misreported };
    // Nobody reports a batch of nothing.
    batch.hidden = linesOf(books, batch).length === 0;
    books.save('batch', batch);
    if (batch.hidden) return batch;
    callbacks.enqueue({
      eventId: makeId('evt'),
      processor,
      event: 'settlement_batch',
      reference: batch.id,
      batchId: batch.id,
      count: linesOf(books, batch).length,
      occurredAt: batch.closedAt,
    });
    return batch;
  });
}

function batchOf(processor: ProcessorId, lines: Line[]): Batch {
  return {
    id: makeId(`b${processor}`),
    processor,
    closedAt: new Date().toISOString(),
    lineIds: lines.map(({ id }) => id),
  };
}

interface Report {
  kept: Line[];
  /** In a batch that nobody hears of. */
  hidden: Line[];
  /** For a later batch. */
  held?: Line[];
  misreported: Record<string, Line[]>;
}

function misreport(faults: Faults, processor: ProcessorId, lines: Line[]): Report {
  const report: Required<Report> = { kept: [], hidden: [], held: [], misreported: {} };
  let hideAll = false;
  for (const line of lines) {
    const fault = hideAll ? undefined : faults.take(processor, 'settlement', line.paymentReference);
    if (fault?.fault === 'omit_batch' && !fault.reference) hideAll = true;
    if (fault?.fault === 'omit_batch') report.hidden.push(line);
    else if (fault?.fault === 'omit_line' && fault.delayMs > 0) {
      line.notBefore = Date.now() + fault.delayMs;
      report.held.push(line);
    } else {
      report.kept.push(line);
      if (fault) report.misreported[line.id] = insteadOf(line, fault);
    }
  }
  return hideAll ? { ...report, kept: [], hidden: [...report.hidden, ...report.kept] } : report;
}

function insteadOf(line: Line, { fault, reference }: Fault): Line[] {
  switch (fault) {
    case 'omit_line':
      return [];
    case 'extra_line': {
      const paid = reference ?? makeId('pay');
      return [line, { ...line, id: makeId('line'), kind: 'capture', reference: paid, paymentReference: paid }];
    }
    case 'wrong_amount':
      return [{ ...line, amountMinor: line.amountMinor + 100n }];
    case 'wrong_fee':
      return [{ ...line, feeMinor: line.feeMinor + 7n }];
    default:
      return [line];
  }
}

/** What the report of a batch says. */
export function linesOf(books: Books, batch: Batch): Line[] {
  return batch.lineIds.flatMap((id) => {
    const line = books.get('line', id);
    return batch.misreported?.[id] ?? (line ? [line] : []);
  });
}

const PAGE = 1_000;

/** A page of the batches closed at `since` (RFC 3339) or later, oldest first, after the one named. Throws Refusal. */
export function listBatches(
  { books, processor }: { books: Books; processor: ProcessorId },
  { since, after }: { since?: unknown; after?: unknown },
): { batches: Batch[]; hasMore: boolean } {
  const from = Date.parse(`${since}`);
  if (Number.isNaN(from)) throw new Refusal('invalid_request', 'since is missing or not valid.');
  const all = [...books.all('batch')].filter(
    (batch) => batch.processor === processor && !batch.hidden && Date.parse(batch.closedAt) >= from,
  );
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  return { batches: all.slice(start, start + PAGE), hasMore: start + PAGE < all.length };
}

/** A share of an amount in thousandths, to whole minor units, half to even. */
export function shareOf(amountMinor: bigint, thousandths: bigint): bigint {
  const product = amountMinor * thousandths;
  const whole = product / 1_000n;
  const rest = product % 1_000n;
  return rest > 500n || (rest === 500n && whole % 2n === 1n) ? whole + 1n : whole;
}
