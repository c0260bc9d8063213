import {
  type PayerAction,
  type ProcessorAnswer,
  ProcessorUnavailable,
  type SettlementReport,
} from '../../domain/connector';
import type { Money } from '../../domain/money';
import { RESULT } from '../../domain/result-codes';
import type { ProcessorHttpResult } from './http';
import type { Decline, PaymentMeaning, RefundMeaning } from './meanings';
import type { Standing } from './reading';

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

/** What the answer to a payment may need, besides the processor's id. */
export interface PaymentStanding extends Pick<Standing, 'id' | 'money'> {
  /** Absent until something was captured. */
  captured?: Money;
  /** What the payer has to do. Absent where the processor does not say enough for that. */
  action?: PayerAction;
  /** Said of what the payer has to do. */
  waitingFor?: string;
  /** Said of what was captured. */
  detail?: string;
  decline: Decline;
  /** Said of a payment that is pending. */
  pending?: { detail: string; expectedBy?: string };
}

/** The answer about a payment. @param meaning undefined where its state is unknown: the payment is pending. */
export function paymentAnswer(meaning: PaymentMeaning | undefined, payment: PaymentStanding): ProcessorAnswer {
  const { id: processorReference, money, captured, action, detail, waitingFor = 'Waiting for the payer.' } = payment;
  switch (meaning) {
    case 'authorized':
      return { kind: 'authorized', processorReference, money };
    case 'captured':
      return captured ? { kind: 'captured', processorReference, money: captured, detail } : unreadable(200);
    case 'challenge':
      return action ? { kind: 'challenge', processorReference, action } : unreadable(200);
    case 'payer_action':
      if (!action) return unreadable(200);
      return { kind: 'payer_action', processorReference, action, detail: waitingFor };
    case 'declined':
      return { kind: 'declined', processorReference, ...payment.decline };
    case 'authentication_failed':
      return { kind: 'authentication_failed', processorReference, detail: '3-D Secure authentication failed.' };
    case 'voided':
      return { kind: 'voided', processorReference };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on it.', ...payment.pending };
  }
}

/** The answer about a refund. @param meaning undefined where its state is unknown: the processor works on it. */
export function refundAnswer(
  meaning: RefundMeaning | undefined,
  { id: processorReference, money }: Pick<Standing, 'id' | 'money'>,
  declined = 'The processor declined the refund.',
  pending = 'The processor works on the refund.',
): ProcessorAnswer {
  switch (meaning) {
    case 'refunded':
      return { kind: 'refunded', processorReference, money };
    case 'refund_declined':
      return { kind: 'refund_declined', processorReference, detail: declined };
    case undefined:
      return { kind: 'pending', processorReference, detail: pending };
  }
}

/** Reads an answer about one refund, as `answerAbout` does. */
export function answerAboutRefund(
  result: ProcessorHttpResult,
  reference: string,
  read: (text: string, status: number) => Standing | undefined,
  meaningOf: (status: string) => RefundMeaning | undefined,
): ProcessorAnswer {
  const answer = (refund: Standing) => refundAnswer(meaningOf(refund.status), refund);
  return answerAbout(result, reference, read, answer, INVALID_REFUND);
}

/** A page to which the payer's browser is sent. */
export function redirectTo({ url, expiresAt }: { url: string; expiresAt: string }): PayerAction {
  return { type: 'redirect', method: 'GET', url, expiresAt };
}

/** The answer of a connector that is asked for what its processor cannot do. */
export function notServed(processor: string, what = 'this kind of payment'): ProcessorAnswer {
  return { kind: 'not_charged', detail: `processor ${processor} does not serve ${what}` };
}

/** A whole settlement report. Throws ProcessorUnavailable when it is missing, unreadable or of another batch. */
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
 * The ids of closed batches, page by page. Throws ProcessorUnavailable when the list is missing or unreadable.
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
