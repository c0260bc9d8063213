import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { CancellationScope, condition, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { SEARCH_ATTRIBUTE } from '../src/domain/flows';

const STATUS = defineSearchAttributeKey(SEARCH_ATTRIBUTE.status, 'KEYWORD');
const WAITS_FOR = defineSearchAttributeKey(SEARCH_ATTRIBUTE.waitsFor, 'KEYWORD');

let shown = '';

/** Tells ops where the flow stands: searchable status, and a sentence on the User Metadata tab. */
export function show(status: string, waitsFor: string, sentence: string): void {
  setCurrentDetails(sentence);
  if (shown === `${status}|${waitsFor}`) return;
  shown = `${status}|${waitsFor}`;
  const pairs: SearchAttributePair[] = [
    { key: STATUS, value: status },
    { key: WAITS_FOR, value: waitsFor },
  ];
  upsertSearchAttributes(pairs);
}

/**
 * Runs a flow to its end whoever asks the engine to cancel it: money may be held at a provider, and somebody must go on
 * asking. A payment is cancelled through the API or by `cancelNow`.
 */
export function throughout<T>(work: () => Promise<T>): Promise<T> {
  return CancellationScope.nonCancellable(work);
}

/** Runs steps one after the other, in the order they came, so that two never see the flow half way. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private running = 0;

  take<T>(step: () => Promise<T>): Promise<T> {
    this.running += 1;
    const turn = this.last
      .then(() => throughout(step))
      .finally(() => {
        this.running -= 1;
      });
    this.last = turn.catch(() => undefined);
    return turn;
  }

  get idle(): boolean {
    return this.running === 0;
  }
}

/** Waits until `woken` holds or the time is up; without a time, for as long as it takes. True when woken. */
export async function wait(woken: () => boolean, timeoutMs: number | undefined): Promise<boolean> {
  if (timeoutMs === undefined) {
    await condition(woken);
    return true;
  }
  return condition(woken, Math.max(1, timeoutMs));
}
