import type { IncomingHttpHeaders } from 'node:http';
import type { Challenged, GivenCode } from '../../people/customer-access/second-factor';
import type { RequestContext } from './context';

/** Long enough for every session and code there is; anything longer is none. */
const LONGEST = 64;

/**
 * The answer to `two_factor_required`: the same request again with the headers `X-Two-Factor-Session` and
 * `X-Two-Factor-Code`. Headers, so that body and idempotency key stay what they were.
 */
export function givenCode(headers: IncomingHttpHeaders): GivenCode {
  return { sessionId: oneOf(headers, 'x-two-factor-session'), code: oneOf(headers, 'x-two-factor-code') };
}

function oneOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value.slice(0, LONGEST) : undefined;
}

/** Whose second factor a request on this customer asks for, and who sends it. */
export function challengedBy(ctx: RequestContext<unknown, unknown, unknown>, customerId: string): Challenged {
  return { tenantId: ctx.tenantId, customerId, askedBy: ctx.principal.clientId };
}

/** For the descriptions of routes that may ask for it. */
export const TWO_FACTOR_TEXT =
  '422 `two_factor_required` with a `session`: send the request again with the headers `X-Two-Factor-Session` and ' +
  '`X-Two-Factor-Code`.';
