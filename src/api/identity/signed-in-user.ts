import { DomainError } from '../../domain/errors';
import type { Self } from '../../people/identity/users/second-factor';
import { actorOf } from '../server/actor';
import type { RequestContext } from '../server/context';

/** The user who has signed in. Throws `forbidden` for a client: it is nobody. */
export function signedInUserOf(ctx: RequestContext<unknown, unknown, unknown>): string {
  const { userId } = ctx.principal;
  if (!userId) throw new DomainError('forbidden', 'This access token belongs to a client, not to a user');
  return userId;
}

/** The user who acts for themselves, in this session. Throws `forbidden` for a client. */
export function selfOf(ctx: RequestContext<unknown, unknown, unknown>): Self {
  return { ...actorOf(ctx), id: signedInUserOf(ctx), sessionId: ctx.principal.sessionId! };
}
