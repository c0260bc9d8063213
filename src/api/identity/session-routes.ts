import type { UserSessions } from '../../people/identity/users/sessions';
import type { UserSignIn } from '../../people/identity/users/sign-in';
import { type Route, route } from '../server/route';
import { type SessionParams, sessionParams, sessionsSchema } from './people-schema';
import { signedInUserOf } from './signed-in-user';

const SESSIONS = '/identity/1.0.0/sessions';

interface SessionDependencies {
  onboarding: { sessions: UserSessions; signIn: UserSignIn };
}

/** Where the signed-in user is signed in. */
export function sessionRoutes({ onboarding }: SessionDependencies): Route[] {
  const common = { area: 'People and clients', roles: ['tenant_admin', 'merchant', 'ops'] as const };
  return [
    route({
      ...common,
      method: 'GET',
      path: SESSIONS,
      summary: 'Your own sessions',
      responses: { 200: { description: 'Newest first', schema: sessionsSchema } },
      handler: async (ctx) => {
        const sessions = await onboarding.sessions.list(signedInUserOf(ctx));
        const { sessionId: current } = ctx.principal;
        const data = sessions.map((session) => ({ ...session, current: session.sessionId === current }));
        return { status: 200, body: { data } };
      },
    }),
    route<unknown, unknown, SessionParams>({
      ...common,
      method: 'DELETE',
      path: `${SESSIONS}/{sessionId}`,
      summary: 'End one of your sessions',
      params: sessionParams,
      responses: { 204: { description: 'Its token no longer works' } },
      handler: async (ctx) => {
        await onboarding.sessions.end(signedInUserOf(ctx), ctx.params.sessionId, ctx.source);
        return { status: 204 };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: SESSIONS,
      summary: 'Sign out everywhere',
      responses: { 204: { description: 'None of your tokens works any more, this one neither' } },
      handler: async (ctx) => {
        await onboarding.signIn.signOut(signedInUserOf(ctx), ctx.source);
        return { status: 204 };
      },
    }),
  ];
}
