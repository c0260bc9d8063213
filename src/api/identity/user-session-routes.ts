import type { IncomingHttpHeaders } from 'node:http';
import type { UserSessions } from '../../people/identity/users/sessions';
import type { SignedInUser, UserSignIn } from '../../people/identity/users/sign-in';
import { NEEDS_SECOND_FACTOR, type UserRow, type Users } from '../../people/identity/users/user';
import type { KnownDeviceCookie } from '../server/known-device-cookie';
import type { Answer, Route } from '../server/route';
import { route } from '../server/route';
import type { SessionCookie } from '../server/session-cookie';
import { signedInUserOf } from './signed-in-user';
import { type UserTokenBody, userSessionSchema, userTokenBody } from './user-schema';

export const SESSION = '/auth/1.0.0/users/session';

export interface UserSessionDependencies {
  onboarding: { users: Users; signIn: UserSignIn; sessions: UserSessions };
  sessionCookie: SessionCookie;
  knownDeviceCookie: KnownDeviceCookie;
}

/** Users sign in with a cookie, as the console does. */
export function userSessionRoutes({ onboarding, sessionCookie, knownDeviceCookie }: UserSessionDependencies): Route[] {
  const common = { area: 'Authentication', roles: ['merchant', 'tenant_admin', 'ops'] as const };
  return [
    route<UserTokenBody>({
      ...common,
      roles: 'public',
      method: 'POST',
      path: SESSION,
      summary: 'Sign in a user with a cookie',
      description:
        'For browsers. The answer sets a cookie that works like an access token on all routes of the API. It ends ' +
        'after 15 minutes without a request (`USER_SESSION_IDLE_MS`), and after 12 hours in any case ' +
        '(`USER_SESSION_TTL_MS`). Requests other than GET need the header `X-Requested-With: tillway-console` and ' +
        'must come from our own pages, or the answer is 403 `cross_site_request`. The limits on wrong attempts are ' +
        'those of `POST /auth/1.0.0/users/token`. Tenant admins and operators need a second factor. Who has none yet gets a ' +
        'session with `mustEnrol`: it can add one, say who you are, and sign out.',
      body: userTokenBody,
      errors: [401, 403, 429],
      responses: { 201: { description: 'You are signed in', schema: userSessionSchema } },
      handler: async ({ body, source, headers }) => {
        sessionCookie.requireOwnOrigin(headers);
        const device = { source, agent: headers['user-agent'], known: knownDeviceCookie.read(headers) };
        const signedIn = await onboarding.signIn.signIn('cookie', body, device);
        return withCookie([sessionCookie, knownDeviceCookie], headers, onboarding.users, signedIn);
      },
    }),
    route({
      ...common,
      enrolling: true,
      method: 'GET',
      path: SESSION,
      summary: 'Who you are, and until when you are signed in',
      responses: { 200: { description: 'The session of this request', schema: userSessionSchema } },
      handler: async (ctx) => {
        const userId = signedInUserOf(ctx);
        const [user, session] = await Promise.all([
          onboarding.users.find(userId),
          onboarding.sessions.find(userId, ctx.principal.sessionId!),
        ]);
        return { status: 200, body: present(onboarding.users, user, session) };
      },
    }),
    route({
      ...common,
      enrolling: true,
      method: 'DELETE',
      path: SESSION,
      summary: 'Sign out here',
      description: '`DELETE /identity/1.0.0/sessions` signs you out everywhere.',
      responses: { 204: { description: 'The session of this request no longer works' } },
      handler: async (ctx) => {
        await onboarding.sessions.end(signedInUserOf(ctx), ctx.principal.sessionId!, ctx.source);
        return { status: 204, headers: { 'Set-Cookie': sessionCookie.gone() } };
      },
    }),
  ];
}

/** The answer to somebody who has signed in with a cookie. The browser is known from now on. */
export function withCookie(
  [cookie, known]: [SessionCookie, KnownDeviceCookie],
  headers: IncomingHttpHeaders,
  users: Users,
  { user, session, token }: SignedInUser,
): Answer {
  const cookies = [cookie.holding(token), known.holding(headers, user.id)];
  return { status: 201, body: present(users, user, session), headers: { 'Set-Cookie': cookies } };
}

function present(users: Users, user: UserRow, session: SignedInUser['session']): object {
  const { name, email } = users.contactOf(user);
  const { sessionId, secondFactor, createdAt, expiresAt, endsAt } = session;
  return {
    userId: user.id,
    name,
    email,
    role: user.role,
    ...(user.tenant_id && { tenantId: user.tenant_id }),
    ...(user.organization_id && { organizationId: user.organization_id }),
    sessionId,
    ...(secondFactor && { secondFactor }),
    mustEnrol: !secondFactor && NEEDS_SECOND_FACTOR.includes(user.role),
    createdAt,
    expiresAt,
    ...(endsAt && { endsAt }),
  };
}
