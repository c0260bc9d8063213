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

/** Customers sign in by themselves, and set a forgotten password anew. */
export function customerSignInRoutes({ identity }: SignInDependencies): Route[] {
  const common = { area: 'Authentication', method: 'POST' as const, roles: 'public' as const };
  return [
    route<SignInBody>({
      ...common,
      path: `${BASE}/token`,
      summary: 'Sign a customer in by password',
      description:
        'Ten wrong tries lock the password for 30 minutes; 401 does not say which of customer, password and lock it ' +
        'was. Where `login` asks for a second factor: 422 `two_factor_required` with a `session`; send the request ' +
        'again with its `sessionId` and the `code` (of the message, of the authenticator, or a recovery code).',
      body: signInBody,
      errors: [401, 429],
      responses: { 200: { description: 'A token for 15 minutes, good for this customer alone', schema: tokenSchema } },
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
      summary: 'Send a link to set a forgotten password anew',
      description: 'Goes to a verified e-mail address. The answer is the same whether there is such a customer.',
      body: resetBody,
      responses: { 202: { description: 'Whoever it is will hear of it' } },
      handler: async ({ body, source }) => {
        await identity.reset.request(body.tenantId, body.email, source);
        return { status: 202 };
      },
    }),
    route<NewPasswordBody>({
      ...common,
      path: `${BASE}/password-reset/confirm`,
      summary: 'Set a new password by the link',
      description: 'Good once. Ends the customer’s tokens and a lock; the second factor stays as it is.',
      body: newPasswordBody,
      responses: { 204: { description: 'The new password counts' } },
      handler: async ({ body, source }) => {
        await identity.reset.confirm(body.token, body.password, source);
        return { status: 204 };
      },
    }),
  ];
}
