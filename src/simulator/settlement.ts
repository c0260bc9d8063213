import type { ProcessorId } from '../providers/connector';
import { type Batch, type Books, type Line, makeId } from './books';
import type { CallbackSender } from './callbacks';

/** More wait for the next batch. */
const LINES_PER_BATCH = 5_000;

/** Closes what a processor moved since the last time into a batch, and announces it. Nothing moved: no batch. */
export function closeBatch(books: Books, callbacks: CallbackSender, processor: ProcessorId): Batch | undefined {
  const lines = books.unsettledLines(processor, LINES_PER_BATCH);
  if (lines.length === 0) return undefined;
  return books.atomically(() => {
    const batch: Batch = {
      id: makeId(`b${processor}`),
      processor,
      closedAt: new Date().toISOString(),
      lineIds: lines.map(({ id }) => id),
    };
    books.save('batch', batch);
    callbacks.enqueue({
      eventId: makeId('evt'),
      processor,
      event: 'settlement_batch',
      reference: batch.id,
      batchId: batch.id,
      count: lines.length,
      occurredAt: batch.closedAt,
    });
    return batch;
  });
}

export function linesOf(books: Books, batch: Batch): Line[] {
  return batch.lineIds.map((id) => books.get('line', id)).filter((line) => line !== undefined);
}

/** A share of an amount in thousandths, to whole minor units, half to even. */
export function shareOf(amountMinor: bigint, thousandths: bigint): bigint {
  const product = amountMinor * thousandths;
  const whole = product / 1_000n;
  const rest = product % 1_000n;
  return rest > 500n || (rest === 500n && whole % 2n === 1n) ? whole + 1n : whole;
}
