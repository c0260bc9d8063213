import type { IncomingHttpHeaders } from 'node:http';
import type { Challenged, GivenCode } from '../../people/customer-access/second-factor';
import { tokenDigest } from '../../people/identity/tokens';
import type { RequestContext } from './context';
import { canonicalJson } from './middleware/body';

/** No session id or code is longer. */
const LONGEST = 64;

/**
 * The code that a client sends after `two_factor_required`. It repeats the request with the headers `X-Two-Factor-Session`
 * and `X-Two-Factor-Code`. They are headers so that the body and the idempotency key do not change.
 */
export function givenCode(headers: IncomingHttpHeaders): GivenCode {
  return { sessionId: oneOf(headers, 'x-two-factor-session'), code: oneOf(headers, 'x-two-factor-code') };
}

function oneOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value.slice(0, LONGEST) : undefined;
}

/**
 * The customer whose second factor is needed, the caller, and the whole request: a code is good for exactly this one.
 * `words`: what the customer reads beside the code, such as `to send 10.00 EUR to @bob`.
 */
export function challengedBy(
  ctx: RequestContext<unknown, unknown, unknown>,
  customerId: string,
  words?: string,
): Challenged {
  const terms = canonicalJson([ctx.method, ctx.path, ctx.query ?? null, ctx.body ?? null]);
  const { tenantId, principal } = ctx;
  return { tenantId, customerId, askedBy: principal.clientId, request: { terms, words }, session: ownSession(ctx) };
}

/** The digest of a customer's own token, by which the customer's session is told from its others. */
export function ownSession({ principal, headers }: RequestContext<unknown, unknown, unknown>): string | undefined {
  const token = principal.customerId && headers.authorization?.split(' ')[1];
  return token ? tokenDigest(token) : undefined;
}

/** For the descriptions of routes that may ask for it. */
export const TWO_FACTOR_TEXT =
  'If the answer is 422 `two_factor_required` with a `session`, send the request again with the headers ' +
  '`X-Two-Factor-Session` and `X-Two-Factor-Code`. The code is good for exactly this request: another amount or payee is ' +
  'refused.';
