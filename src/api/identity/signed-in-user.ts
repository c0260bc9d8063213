import { DomainError } from '../../domain/errors';
import type { RequestContext } from '../server/context';

/** The user who has signed in. Throws `forbidden` for a client: it is nobody. */
export function signedInUserOf(ctx: RequestContext<unknown, unknown, unknown>): string {
  const { userId } = ctx.principal;
  if (!userId) throw new DomainError('forbidden', 'This access token belongs to a client, not to a user');
  return userId;
}
