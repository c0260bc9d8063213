import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import {
  CancellationScope,
  condition,
  patched,
  setCurrentDetails,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { SEARCH_ATTRIBUTE } from '../src/domain/flows';

const STATUS = defineSearchAttributeKey(SEARCH_ATTRIBUTE.status, 'KEYWORD');
const WAITS_FOR = defineSearchAttributeKey(SEARCH_ATTRIBUTE.waitsFor, 'KEYWORD');

/** Where a flow stands. */
export interface Standing {
  status: string;
  waitsFor: string;
  /** When the row got that status, in milliseconds since the epoch, if the row has that time. */
  sinceMs?: number;
  /** Why ops should look at it. */
  review?: string;
}

let stands: Standing | undefined;
let sinceMs = 0;

/**
 * Shows ops the status of the flow. The sentence gets the time since when the flow has had it. Looking again without news
 * does not change that time. A follow-up run takes the time from the row, because it has not seen the change itself.
 */
export function show(standing: Standing, sentence: (since: string) => string): void {
  const { status, waitsFor, review } = standing;
  if (stands?.status !== status) sinceMs = standing.sinceMs ?? Date.now();
  else if (stands.waitsFor !== waitsFor) sinceMs = Date.now();
  stands = standing;
  tell(status, review ? 'operator' : waitsFor, sentence(instant(sinceMs)));
}

/** An instant as ops read it: UTC, to the second. `ms`: milliseconds since the epoch. */
export function instant(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** `instant` of so many milliseconds from now. */
export function instantIn(ms: number): string {
  return instant(Date.now() + ms);
}

let shown = '';

/** The flow was started with these as its searchable status: they need not be set again. */
export function startedAs({ status, waitsFor }: Pick<Standing, 'status' | 'waitsFor'>): void {
  shown = `${status}|${waitsFor}`;
}

/** Sets the searchable status, and the sentence on the User Metadata tab. */
export function tell(status: string, waitsFor: string, sentence: string): void {
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
 * Runs a flow to its end even when somebody asks the engine to cancel it: a processor may hold money, so the flow must keep
 * asking. A payment is cancelled through the API or by `cancelNow`.
 */
export function evenWhenCancelled<T>(work: () => Promise<T>): Promise<T> {
  return CancellationScope.nonCancellable(work);
}

/** Runs steps one after the other, in the order they came, so that no step sees another one half done. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private running = 0;

  take<T>(step: () => Promise<T>): Promise<T> {
    this.running += 1;
    const turn = this.last
      .then(() => evenWhenCancelled(step))
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

/**
 * Waits until `woken` is true or the time is up. Without a time, it waits until `woken` is true. Answers whether it was
 * woken. `label` says in the timeline what the time is for: "until …".
 */
export async function wait(woken: () => boolean, timeoutMs: number | undefined, label: string): Promise<boolean> {
  if (timeoutMs === undefined) {
    await condition(woken);
    return true;
  }
  return condition(woken, Math.max(1, timeoutMs), { summary: label });
}

/** True when the history has become long: a flow that has nothing under way then goes on as a new run. */
export function isLong(): boolean {
  // Flows of the version before had histories of any length.
  return workflowInfo().continueAsNewSuggested && patched('histories are bounded');
}
