import type { Actor } from '../../foundation/audit-log/audit-log';
import type { RequestContext } from './context';

/** The caller's name in the audit log. */
export function actorOf(ctx: RequestContext<unknown, unknown, unknown>): Actor {
  return { id: ctx.principal.clientId, source: ctx.source, requestId: ctx.requestId };
}

/** A staff member who reads a customer's record. Undefined for customers, who read their own. */
export function staffOf(ctx: RequestContext<unknown, unknown, unknown>): Actor | undefined {
  return ctx.principal.customerId ? undefined : actorOf(ctx);
}
