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
 * Narrows what the token may see by the headers organizationId and tenantId. A header the route asks for and does not
 * get is added to `details`; one that names somebody else's, or nobody's, is `forbidden`.
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
  // A merchant's token leaves nothing to narrow.
  if (principal.organizationId) return principal;
  if (tenantId && !principal.tenantId && !(await organizations.tenantExists(tenantId))) throw foreign('tenantId');
  const effective = principal.tenantId ?? tenantId;
  if (!organizationId) return { tenantId: effective };
  const owner = await organizations.tenantIdOf(organizationId);
  if (!owner || (effective && owner !== effective)) throw foreign('organizationId');
  return { tenantId: owner, organizationId };
}

/** A customer's token is good for that customer alone; another one is not there. */
export function requireOwn(principal: Principal, customerId: string): void {
  if (principal.customerId && principal.customerId !== customerId) throw notFound('customer');
}

function foreign(header: string): DomainError {
  return new DomainError('forbidden', `This access token does not allow this ${header}`);
}
