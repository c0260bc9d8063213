import { type ProcessorAnswer, ProcessorUnavailable, type SettlementReport } from '../../domain/connector';
import { RESULT } from '../../domain/result-codes';
import type { ProcessorHttpResult } from './http';

/** What the HTTP status of an answer means where its body says nothing. */

/** The processor read the request and does not accept it. */
export function isInvalid(status: number): boolean {
  return status === 400 || status === 413 || status === 422;
}

/** Statuses that say the request was turned away at the door, and all others, which say nothing for certain. */
export function refused(status: number): ProcessorAnswer {
  if (status === 404) return { kind: 'not_found' };
  if (status === 401 || status === 403 || status === 429)
    return { kind: 'not_charged', detail: `the processor turned the request away (${status})` };
  return { kind: 'unknown', detail: `the processor answered ${status}` };
}

/** A question that did not get through tells nothing about the payment. */
export function inquiry(answer: ProcessorAnswer): ProcessorAnswer {
  return answer.kind === 'not_charged' ? { kind: 'unknown', detail: answer.detail } : answer;
}

/** An answer that cannot be read may stand for anything. */
export function unreadable(status: number): ProcessorAnswer {
  return { kind: 'unknown', detail: `the processor's answer (${status}) cannot be read` };
}

/** What a payment that the processor's validation does not let through ends with. */
export const INVALID_PAYMENT: ProcessorAnswer = {
  kind: 'declined',
  code: RESULT.invalidPaymentData,
  detail: 'The processor does not accept the data.',
};

export const INVALID_REFUND: ProcessorAnswer = {
  kind: 'refund_declined',
  detail: 'The processor does not allow this refund.',
};

/**
 * Reads an answer about one payment or refund, as most processors give it: 200 with how it stands, 409 with the same when
 * that does not allow the call, and no content otherwise.
 * @param read undefined where it is not what it should be.
 * @param invalid what a request means that was not valid.
 */
export function answerAbout<Wire extends { reference: string }>(
  result: ProcessorHttpResult,
  reference: string,
  read: (text: string, status: number) => Wire | undefined,
  meaning: (wire: Wire) => ProcessorAnswer,
  invalid: ProcessorAnswer,
): ProcessorAnswer {
  if (result.kind !== 'answer') return result;
  const { status, text } = result;
  if (isInvalid(status)) return invalid;
  if (status !== 200 && status !== 409) return refused(status);
  const wire = read(text, status);
  // Another payment's answer would be booked as this one's.
  return wire?.reference === reference ? meaning(wire) : unreadable(status);
}

/** A settlement report, whole. Throws ProcessorUnavailable when it cannot be had, or read, or is another one. */
export function settlementReport(
  result: ProcessorHttpResult,
  batchId: string,
  read: (text: string) => SettlementReport | undefined,
): SettlementReport {
  if (result.kind !== 'answer') throw new ProcessorUnavailable(`settlement report: ${result.detail}`);
  if (result.status !== 200) throw new ProcessorUnavailable(`settlement report: answered ${result.status}`);
  const report = read(result.text);
  if (report?.batchId !== batchId) throw new ProcessorUnavailable('settlement report: cannot be read');
  return report;
}

/** More pages than any processor has batches; a list that never ends is a fault of the other side. */
const MOST_PAGES = 1_000;

/**
 * The ids of closed batches, page by page. Throws ProcessorUnavailable when the list cannot be had, or read.
 * @param ask asks for the page that begins after the batch named.
 */
export async function settlementBatches(
  ask: (after: string | undefined) => Promise<ProcessorHttpResult>,
  read: (text: string) => { batchIds: string[]; hasMore: boolean } | undefined,
): Promise<string[]> {
  const ids: string[] = [];
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const result = await ask(ids.at(-1));
    if (result.kind !== 'answer') throw new ProcessorUnavailable(`settlement list: ${result.detail}`);
    if (result.status !== 200) throw new ProcessorUnavailable(`settlement list: answered ${result.status}`);
    const page = read(result.text);
    if (!page) throw new ProcessorUnavailable('settlement list: cannot be read');
    ids.push(...page.batchIds);
    if (!page.hasMore || page.batchIds.length === 0) return ids;
  }
  throw new ProcessorUnavailable('settlement list: does not end');
}
