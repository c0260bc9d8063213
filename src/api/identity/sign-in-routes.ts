import type { CustomerIdentity } from '../../people/customer-access/identity';
import { type Route, route } from '../server/route';
import {
  type NewPasswordBody,
  newPasswordBody,
  type ResetBody,
  resetBody,
  type SignInBody,
  signInBody,
  tokenSchema,
} from './schema';

const BASE = '/auth/1.0.0/customers';

export interface SignInDependencies {
  identity: CustomerIdentity;
}

/** Customers sign in, and reset a forgotten password. */
export function customerSignInRoutes({ identity }: SignInDependencies): Route[] {
  const common = { area: 'Authentication', method: 'POST' as const, roles: 'public' as const };
  return [
    route<SignInBody>({
      ...common,
      path: `${BASE}/token`,
      summary: 'Sign in a customer with a password',
      description:
        'Ten wrong attempts from one source address lock the password for that address, for 30 minutes. A 401 does not ' +
        'say whether the customer, the password ' +
        'or the lock is the reason. If the customer’s `login` setting asks for a second factor, the answer is 422 ' +
        '`two_factor_required` with a `session`. Send the request again with its `sessionId` and the `code` from the ' +
        'message or the authenticator app, or a recovery code.',
      body: signInBody,
      errors: [401, 429],
      responses: { 200: { description: 'A token for this customer only, valid for 15 minutes', schema: tokenSchema } },
      handler: async ({ body, source }) => {
        const { tenantId, password, sessionId, code } = body;
        const type = body.email ? 'email' : body.phone ? 'phone' : 'username';
        const value = body[type]!;
        const { customerId, token, ttlMs } = await identity.signIn.signIn(
          { tenantId, type, value, password, sessionId, code },
          source,
        );
        return {
          status: 200,
          body: { access_token: token, token_type: 'Bearer', expires_in: Math.floor(ttlMs / 1000), customerId },
        };
      },
    }),
    route<ResetBody>({
      ...common,
      path: `${BASE}/password-reset`,
      summary: 'Send a link to reset a forgotten password',
      description:
        'We send the link to a verified e-mail address. The answer is the same if there is no such customer.',
      body: resetBody,
      responses: { 202: { description: 'If the address is known, we send an e-mail' } },
      handler: async ({ body, source }) => {
        await identity.reset.request(body.tenantId, body.email, source);
        return { status: 202 };
      },
    }),
    route<NewPasswordBody>({
      ...common,
      path: `${BASE}/password-reset/confirm`,
      summary: 'Set a new password with the link',
      description:
        'The link works once; other links end with it. It ends the customer’s tokens and a lock. The second factor stays as it is.',
      body: newPasswordBody,
      responses: { 204: { description: 'The new password is set' } },
      handler: async ({ body, source }) => {
        await identity.reset.confirm(body.token, body.password, source);
        return { status: 204 };
      },
    }),
  ];
}
