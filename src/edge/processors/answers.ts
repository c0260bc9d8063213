import { ProcessorUnavailable, type SettlementReport } from '../../domain/connector';
import type { Money } from '../../domain/money';
import type {
  AuthorizeAnswer,
  CaptureAnswer,
  NotCharged,
  NotFound,
  PayerAction,
  PaymentStanding,
  RefundAnswer,
  RefundStanding,
  Unknown,
  VoidAnswer,
} from '../../domain/processor-answers';
import { RESULT } from '../../domain/result-codes';
import type { ProcessorHttpResult } from './http';
import type { Decline, PaymentMeaning, RefundMeaning } from './meanings';
import type { Standing } from './reading';

/** What the HTTP status of an answer means where its body says nothing. */

/** The processor read the request and does not accept it. */
export function isInvalid(status: number): boolean {
  return status === 400 || status === 413 || status === 422;
}

/** The processor read the request and does not accept it, which says nothing about the payment or refund itself. */
export interface Invalid {
  kind: 'invalid';
}

/** What was heard of a payment or refund, before the operation says what that means. */
export type Heard<Standing> = Standing | Invalid | NotCharged | NotFound | Unknown;

/** Statuses that say the request was turned away at the door, and all others, which say nothing for certain. */
export function refused(status: number): NotCharged | NotFound | Unknown {
  if (status === 404) return { kind: 'not_found' };
  if (status === 401 || status === 403 || status === 429)
    return { kind: 'not_charged', detail: `the processor turned the request away (${status})` };
  return { kind: 'unknown', detail: `the processor answered ${status}` };
}

/** What an authorization came to. */
export function authorizeAnswer(heard: Heard<PaymentStanding>): AuthorizeAnswer {
  return heard.kind === 'invalid' ? INVALID_PAYMENT : heard;
}

/** A question that did not get through, or was not understood, tells nothing about the payment or refund. */
export function inquiry<Standing extends { kind: string }>(heard: Heard<Standing>): Standing | NotFound | Unknown {
  if (heard.kind === 'invalid') return { kind: 'unknown', detail: 'the processor does not accept the question' };
  if (heard.kind === 'not_charged') return { kind: 'unknown', detail: (heard as NotCharged).detail };
  return heard as Standing | NotFound | Unknown;
}

/** What a capture came to, by how the payment stands after it. */
export function captureAnswer(heard: Heard<PaymentStanding>): CaptureAnswer {
  return heard.kind === 'captured' ? heard : notDone(heard);
}

/** What a void came to, by how the payment stands after it. */
export function voidAnswer(heard: Heard<PaymentStanding>): VoidAnswer {
  return heard.kind === 'voided' ? heard : notDone(heard);
}

/** What a refund came to. */
export function refundAnswer(heard: Heard<RefundStanding>): RefundAnswer {
  if (heard.kind === 'invalid') return INVALID_REFUND;
  return heard.kind === 'not_charged' ? { kind: 'not_taken', detail: heard.detail } : heard;
}

/** An operation was not done, or not yet, by how the payment stands after it. */
function notDone(answer: Heard<PaymentStanding>): Extract<CaptureAnswer, VoidAnswer> {
  switch (answer.kind) {
    case 'pending':
    case 'not_found':
    case 'unknown':
      return answer;
    case 'not_charged':
      return { kind: 'not_taken', detail: answer.detail };
    case 'invalid':
      return { kind: 'refused', detail: 'the processor does not accept the request' };
    case 'declined':
    case 'soft_declined':
    case 'authentication_failed':
    case 'payer_action':
      return { kind: 'refused', detail: answer.detail, standing: answer };
    case 'captured':
    case 'authorized':
    case 'challenge':
    case 'voided':
      return { kind: 'refused', detail: `the payment is ${SAID[answer.kind]} there`, standing: answer };
  }
}

const SAID = {
  captured: 'captured',
  authorized: 'authorized',
  challenge: 'waiting for its payer',
  voided: 'cancelled',
};

/** An answer that cannot be read may stand for anything. */
export function unreadable(status: number): Unknown {
  return { kind: 'unknown', detail: `the processor's answer (${status}) cannot be read` };
}

/** What a payment that the processor's validation does not let through ends with. */
export const INVALID_PAYMENT = {
  kind: 'declined',
  code: RESULT.invalidPaymentData,
  detail: 'The processor does not accept the data.',
} satisfies AuthorizeAnswer;

export const INVALID_REFUND = {
  kind: 'refund_declined',
  detail: 'The processor does not allow this refund.',
} satisfies RefundAnswer;

/**
 * Reads an answer about one payment or refund, as most processors give it: 200 with how it stands, 409 with the same when
 * that does not allow the call, and no content otherwise.
 * @param read undefined where it is not what it should be.
 */
export function answerAbout<Wire extends { reference: string }, Standing>(
  result: ProcessorHttpResult,
  reference: string,
  read: (text: string, status: number) => Wire | undefined,
  meaning: (wire: Wire) => Standing | Unknown,
): Heard<Standing> {
  if (result.kind !== 'answer') return result;
  const { status, text } = result;
  if (isInvalid(status)) return { kind: 'invalid' };
  if (status !== 200 && status !== 409) return refused(status);
  const wire = read(text, status);
  // Another payment's answer would be booked as this one's.
  return wire?.reference === reference ? meaning(wire) : unreadable(status);
}

/** What the answer to a payment may need, besides the processor's id. */
export interface PaymentWords extends Pick<Standing, 'id' | 'money'> {
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

/** How a payment stands. @param meaning undefined where its state is unknown: the payment is pending. */
export function paymentStanding(meaning: PaymentMeaning | undefined, payment: PaymentWords): PaymentStanding | Unknown {
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
    case 'declined': {
      const { soft, ...decline } = payment.decline;
      return soft
        ? { kind: 'soft_declined', processorReference, detail: decline.detail }
        : { kind: 'declined', processorReference, ...decline };
    }
    case 'authentication_failed':
      return { kind: 'authentication_failed', processorReference, detail: '3-D Secure authentication failed.' };
    case 'voided':
      return { kind: 'voided', processorReference };
    case undefined:
      return { kind: 'pending', processorReference, detail: 'The processor works on it.', ...payment.pending };
  }
}

/** How a refund stands. @param meaning undefined where its state is unknown: the processor works on it. */
export function refundStanding(
  meaning: RefundMeaning | undefined,
  { id: processorReference, money }: Pick<Standing, 'id' | 'money'>,
  declined = 'The processor declined the refund.',
  pending = 'The processor works on the refund.',
): RefundStanding {
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
): Heard<RefundStanding> {
  const answer = (refund: Standing) => refundStanding(meaningOf(refund.status), refund);
  return answerAbout(result, reference, read, answer);
}

/** A page to which the payer's browser is sent. */
export function redirectTo({ url, expiresAt }: { url: string; expiresAt: string }): PayerAction {
  return { type: 'redirect', method: 'GET', url, expiresAt };
}

/** The answer of a connector that is asked for what its processor cannot do. */
export function notServed(processor: string, what = 'this kind of payment'): NotCharged {
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
