import type { IncomingHttpHeaders } from 'node:http';
import { DomainError, type FieldError, notFound } from '../../../domain/errors';
import type { Organizations } from '../../../people/identity/organizations';
import type { Principal } from '../../../people/identity/principal';
import type { Scope } from '../context';
import type { Route } from '../route';

/** Throws `forbidden` unless the route lists the caller's role. */
export function requireRole(route: Route, principal: Principal): void {
  if (route.roles !== 'public' && !route.roles.includes(principal.role))
    throw new DomainError('forbidden', 'This access token does not allow this operation');
}

/**
 * Narrows what the token may see by the headers organizationId and tenantId. A missing required header is added to
 * `details`. A header that names a foreign or unknown organization or tenant is `forbidden`.
 */
export async function narrow(
  principal: Principal,
  headers: IncomingHttpHeaders,
  identity: Route['identity'],
  organizations: Organizations,
  details: FieldError[],
): Promise<Scope> {
  const organizationId = headers.organizationid as string | undefined;
  const tenantId = headers.tenantid as string | undefined;
  if (identity && !headers[identity.toLowerCase()]) details.push({ field: identity, message: 'is a required header' });
  if (tenantId && principal.tenantId && tenantId !== principal.tenantId) throw foreign('tenantId');
  if (organizationId && principal.organizationId && organizationId !== principal.organizationId)
    throw foreign('organizationId');
  if (principal.customerId) return { tenantId: principal.tenantId };
  // A merchant's token is already limited to one organization.
  if (principal.organizationId) return principal;
  if (tenantId && !principal.tenantId && !(await organizations.tenantExists(tenantId))) throw foreign('tenantId');
  const effective = principal.tenantId ?? tenantId;
  if (!organizationId) return { tenantId: effective };
  const owner = await organizations.tenantIdOf(organizationId);
  if (!owner || (effective && owner !== effective)) throw foreign('organizationId');
  return { tenantId: owner, organizationId };
}

/** A customer's token works for that customer only. Any other customer is `not_found`. */
export function requireOwn(principal: Principal, customerId: string): void {
  if (principal.customerId && principal.customerId !== customerId) throw notFound('customer');
}

function foreign(header: string): DomainError {
  return new DomainError('forbidden', `This access token does not allow this ${header}`);
}
