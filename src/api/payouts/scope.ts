import { DomainError, refuse } from '../../domain/errors';
import type { RequestContext } from '../server/context';

type Context = RequestContext<unknown, unknown, unknown>;

/** Whose payouts the caller sees: a merchant its own, a tenant admin those of the tenant or of the organization it names. */
export function scopeOf(ctx: Context): { tenantId: string; organizationId?: string } {
  const organizationId = ctx.organizationIdIfAny;
  return { tenantId: ctx.tenantId, ...(organizationId && { organizationId }) };
}

/**
 * The one seller that a request is about: a merchant's own, or whom a tenant admin names. Throws `invalid_request` where
 * nobody is named, and `forbidden` where a merchant names another.
 */
export function sellerOf(ctx: Context, named: string | undefined): { tenantId: string; organizationId: string } {
  const own = ctx.organizationIdIfAny;
  if (own && named && own !== named)
    throw new DomainError('forbidden', 'This access token does not allow this organization');
  const organizationId = own ?? named;
  if (!organizationId) return refuse('organizationId', 'is required');
  return { tenantId: ctx.tenantId, organizationId };
}
