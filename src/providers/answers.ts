import type { ProviderAnswer } from './connector';

/** What the HTTP status of an answer means where its body says nothing. */

/** The provider read the request and does not accept it. */
export function isInvalid(status: number): boolean {
  return status === 400 || status === 413 || status === 422;
}

/** Statuses that say the request was turned away at the door, and all others, which say nothing for certain. */
export function refused(status: number): ProviderAnswer {
  if (status === 404) return { kind: 'not_found' };
  if (status === 401 || status === 403 || status === 429)
    return { kind: 'not_charged', detail: `the provider turned the request away (${status})` };
  return { kind: 'unknown', detail: `the provider answered ${status}` };
}

/** A question that did not get through tells nothing about the payment. */
export function inquiry(answer: ProviderAnswer): ProviderAnswer {
  return answer.kind === 'not_charged' ? { kind: 'unknown', detail: answer.detail } : answer;
}

/** An answer that cannot be read may stand for anything. */
export function unreadable(status: number): ProviderAnswer {
  return { kind: 'unknown', detail: `the provider's answer (${status}) cannot be read` };
}
