import type { ProcessorId } from '../../domain/connector';
import { makeId } from './records';

export const FAULT_TARGETS = [
  'authorize',
  'capture',
  'refund',
  'payout',
  'dispute',
  'inquiry',
  'callback',
  'settlement',
] as const;
export type FaultTarget = (typeof FAULT_TARGETS)[number];

/**
 * What can go wrong. On a call / on a callback:
 * - `delay`: it starts `delayMs` later / it is sent `delayMs` later.
 * - `drop`: nothing is done and nothing answered / it is never sent.
 * - `close_before`: the connection is closed, nothing is done / this try is lost, it is tried again.
 * - `close_after`: it is done, then the connection is closed / it is sent, the answer is lost, it is sent again.
 * - `status_429`, `status_400`: nothing is done, the call is turned away, or not understood / as `close_before`.
 * - `status_500`: it is done, then 500 is answered / as `close_after`.
 * - `duplicate`: it is done twice under its key / it is sent twice at once.
 * - `reorder`: it waits until the next of its kind is through, at most 2 s / the same, at most 5 s.
 */
export const CALL_FAULTS = [
  'delay',
  'drop',
  'close_before',
  'close_after',
  'status_400',
  'status_429',
  'status_500',
  'duplicate',
  'reorder',
] as const;

/**
 * What a settlement report says wrongly, while the books stay right; each hits lines, one after the other.
 * - `omit_line`: the line is in no report; with `delayMs` it comes in a batch that closes so much later.
 * - `extra_line`: a second capture of the payment; without `reference`, one of a payment nobody knows.
 * - `wrong_amount`, `wrong_fee`: 1.00 more than it was, in minor units 100; 0.07 more.
 * - `omit_batch`: the batch is neither announced nor listed. With `reference`, one of that payment's lines alone.
 */
export const SETTLEMENT_FAULTS = ['omit_line', 'extra_line', 'wrong_amount', 'wrong_fee', 'omit_batch'] as const;

export const FAULTS = [...CALL_FAULTS, ...SETTLEMENT_FAULTS] as const;

export interface FaultOrder {
  on: FaultTarget;
  fault: (typeof FAULTS)[number];
  /** How many calls it hits. */
  times: number;
  /** Waited before whatever the fault does. */
  delayMs: number;
  /** Hits calls about this payment only; a refund or callback is about its payment. */
  reference?: string;
}

export interface Fault extends FaultOrder {
  faultId: string;
  /** How many calls it will still hit. */
  remaining: number;
}

/** The faults ordered of all processors. They are gone after a restart: what breaks on purpose must not stay broken. */
export class Faults {
  private readonly ordered = new Map<ProcessorId, Fault[]>();
  private readonly waiting = new Map<string, (() => void)[]>();

  order(processor: ProcessorId, order: FaultOrder): Fault {
    const fault = { faultId: makeId('flt'), ...order, remaining: order.times };
    this.ordered.set(processor, [...this.list(processor), fault]);
    return fault;
  }

  list(processor: ProcessorId): readonly Fault[] {
    return this.ordered.get(processor) ?? [];
  }

  clear(processor: ProcessorId): void {
    this.ordered.delete(processor);
  }

  /** The fault that hits this call, if any, counted down. The one ordered first comes first. */
  take(processor: ProcessorId, on: FaultTarget, reference: string): Fault | undefined {
    const faults = this.ordered.get(processor);
    if (!faults) return undefined;
    const fault = faults.find((one) => one.on === on && (!one.reference || one.reference === reference));
    if (!fault) return undefined;
    fault.remaining -= 1;
    if (fault.remaining > 0) return fault;
    const rest = faults.filter((one) => one !== fault);
    if (rest.length > 0) this.ordered.set(processor, rest);
    else this.ordered.delete(processor);
    return fault;
  }

  /** Resolves when the next of its kind has passed, or after `atMostMs`. */
  overtaken(processor: ProcessorId, on: FaultTarget, atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, atMostMs);
      const key = `${processor}:${on}`;
      const release = () => {
        clearTimeout(timer);
        resolve();
      };
      this.waiting.set(key, [...(this.waiting.get(key) ?? []), release]);
    });
  }

  /** A call or callback is through: those that wait for it may go. */
  passed(processor: ProcessorId, on: FaultTarget): void {
    if (this.waiting.size === 0) return;
    const key = `${processor}:${on}`;
    const waiting = this.waiting.get(key) ?? [];
    this.waiting.delete(key);
    for (const release of waiting) release();
  }
}
