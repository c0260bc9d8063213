import type { PaymentLinkScope } from '../../commerce/payment-links/service';
import type { RequestContext } from '../server/context';

/** Whose links the caller sees: a merchant its own, a tenant admin those of the tenant or of the organization it names. */
export function scopeOf(ctx: RequestContext<unknown, unknown, unknown>): PaymentLinkScope {
  return { tenantId: ctx.tenantId, organizationId: ctx.organizationIdIfAny };
}
