import { common } from '../server/acting';
import type { RequestContext } from '../server/context';

export const BASE = '/p2p/1.0.0';

export const reading = { ...common, method: 'GET' as const, roles: ['tenant_admin', 'ops', 'customer'] as const };
export const posting = { ...common, method: 'POST' as const, idempotent: true };

/** The customer of the token. Undefined for staff. */
export function ownIdOf(ctx: RequestContext<unknown, unknown, unknown>): string | undefined {
  return ctx.principal.customerId;
}

export function instantOf(value: string | undefined): Date | undefined {
  return value === undefined ? undefined : new Date(value);
}
