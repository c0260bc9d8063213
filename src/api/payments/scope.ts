import type { PaymentScope } from '../../money/payments/visible';
import type { RequestContext } from '../server/context';

/** The payments that a request may see. */
export function scopeOf(ctx: RequestContext<unknown, unknown, unknown>): PaymentScope {
  return { tenantId: ctx.tenantId, organizationId: ctx.organizationId, terminalId: ctx.principal.terminalId };
}

/** What the reads of payments have in common. */
export const READING = {
  method: 'GET' as const,
  area: 'Payments',
  roles: ['merchant', 'tenant_admin', 'ops'] as const,
  identity: 'organizationId' as const,
};
