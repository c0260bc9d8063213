import type { Actor } from '../../foundation/audit-log/audit-log';
import type { RequestContext } from './context';

/** Who calls, as the audit log names it. */
export function actorOf(ctx: RequestContext<unknown, unknown, unknown>): Actor {
  return { id: ctx.principal.clientId, source: ctx.source, requestId: ctx.requestId };
}

/** Who reads somebody else's record; undefined for a customer, whose own it is. */
export function staffOf(ctx: RequestContext<unknown, unknown, unknown>): Actor | undefined {
  return ctx.principal.customerId ? undefined : actorOf(ctx);
}
