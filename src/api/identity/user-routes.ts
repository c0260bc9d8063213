import type { UserLinks } from '../../people/identity/users/links';
import type { UserSessions } from '../../people/identity/users/sessions';
import type { UserSignIn } from '../../people/identity/users/sign-in';
import { type Route, route } from '../server/route';
import { signedInUserOf } from './signed-in-user';
import {
  type PasswordBody,
  passwordBody,
  passwordSetSchema,
  type ResetBody,
  resetBody,
  type UserTokenBody,
  userTokenBody,
  userTokenSchema,
} from './user-schema';

const USERS = '/auth/1.0.0/users';

export interface UserDependencies {
  onboarding: { links: UserLinks; signIn: UserSignIn; sessions: UserSessions };
}

/** People sign in: a merchant's technical user, tenant admins, operators. */
export function userRoutes({ onboarding }: UserDependencies): Route[] {
  const common = { area: 'Authentication', roles: 'public' as const };
  return [
    route<UserTokenBody>({
      ...common,
      method: 'POST',
      path: `${USERS}/token`,
      summary: 'Sign in a user with a password',
      description:
        'For people: a merchant’s technical user, tenant admins and operators. The token has the role of the user. ' +
        'Ten wrong attempts from one source address lock the password for that address, for 30 minutes. A 401 does not ' +
        'say whether the address, the password ' +
        'or the lock is the reason. A user with an authenticator app must send a `code`, or the answer is 422 ' +
        '`two_factor_required`.',
      body: userTokenBody,
      errors: [401, 429],
      responses: { 200: { description: 'A token, valid for half an hour', schema: userTokenSchema } },
      handler: async ({ body, source, headers }) => {
        const device = { source, agent: headers['user-agent'] };
        const { user, token } = await onboarding.signIn.signIn('token', body, device);
        const { id, role, tenant_id, organization_id } = user;
        return {
          status: 200,
          body: {
            access_token: token,
            token_type: 'Bearer',
            expires_in: Math.floor(onboarding.sessions.limits.tokenTtlMs / 1000),
            scope: role,
            userId: id,
            ...(tenant_id && { tenantId: tenant_id }),
            ...(organization_id && { organizationId: organization_id }),
          },
        };
      },
    }),
    route({
      area: 'Authentication',
      roles: ['merchant', 'tenant_admin', 'ops'],
      enrolling: true,
      method: 'DELETE',
      path: `${USERS}/token`,
      summary: 'Sign out: end all tokens of the signed-in user',
      responses: { 204: { description: 'The tokens no longer work' } },
      handler: async (ctx) => {
        await onboarding.signIn.signOut(signedInUserOf(ctx), ctx.source);
        return { status: 204 };
      },
    }),
    route<ResetBody>({
      ...common,
      method: 'POST',
      path: `${USERS}/password-reset`,
      summary: 'Send a user a link to reset a forgotten password',
      description: 'The answer is the same if there is no such user. The second factor stays as it is.',
      body: resetBody,
      responses: { 202: { description: 'If the address is known, we send an e-mail' } },
      handler: async ({ body, source }) => {
        await onboarding.links.requestReset(body.email, source);
        return { status: 202 };
      },
    }),
    route<PasswordBody>({
      ...common,
      method: 'POST',
      path: '/onboarding/1.0.0/password',
      summary: 'Set the password with the link of an invitation or a reset',
      description:
        'The link works once. If it is unknown, used or expired, the answer is 409 `link_unusable`. It ends the ' +
        'user’s tokens and a lock.',
      body: passwordBody,
      responses: { 200: { description: 'The password is set', schema: passwordSetSchema } },
      handler: async ({ body, source }) => {
        const { id, role, organization_id } = await onboarding.links.setPassword(body.token, body.password, source);
        return { status: 200, body: { userId: id, role, ...(organization_id && { organizationId: organization_id }) } };
      },
    }),
  ];
}
