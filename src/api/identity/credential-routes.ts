import type { Database } from '../../foundation/db/database';
import type { CustomerIdentity } from '../../people/customer-access/identity';
import { noteCustomer } from '../../people/customers/audit-lines';
import { findCustomer } from '../../people/customers/customer';
import { endTokens } from '../../people/identity/customer-tokens';
import { actorOf } from '../server/actor';
import { requireOwn } from '../server/middleware/scope';
import { type CustomerParams, customerParams } from '../server/params';
import { type Route, route } from '../server/route';
import { givenCode, TWO_FACTOR_TEXT } from '../server/second-factor';
import {
  type CredentialBody,
  credentialBody,
  credentialsSchema,
  sessionSchema,
  type VerificationAnswer,
  type VerificationBody,
  verificationAnswer,
  verificationBody,
  verifiedSchema,
} from './schema';

const BASE = '/customer/1.0.0';

export interface CredentialDependencies {
  identity: CustomerIdentity;
  database: Database;
}

/** One-time codes: they get a customer's token, or verify an address. */
export function credentialRoutes({ identity, database }: CredentialDependencies): Route[] {
  const common = { area: 'Customers', roles: ['tenant_admin'] as const, identity: 'tenantId' as const };
  const own = { ...common, roles: ['tenant_admin', 'customer'] as const, params: customerParams };
  return [
    route<CredentialBody>({
      ...common,
      method: 'POST',
      path: `${BASE}/getCredentials`,
      summary: 'Sign in a customer with a one-time code',
      description:
        'Without `code` we open a session and send six digits to a verified address of the customer. The digits work ' +
        'for five minutes and five attempts. With `code` the answer has the customer’s `token`. If no customer has ' +
        'this value, the answer is `[]`. Customers whose `login` setting is on need one more factor: an authenticator, or a ' +
        `code at another verified address. ${TWO_FACTOR_TEXT}`,
      body: credentialBody,
      responses: { 200: { description: 'Customers with this value', schema: credentialsSchema } },
      handler: async (ctx) => {
        const { code, ...question } = ctx.body.credential;
        const asked = { ...question, code: code || undefined };
        return {
          status: 200,
          body: await identity.lookup.look(ctx.tenantId, actorOf(ctx), asked, givenCode(ctx.headers)),
        };
      },
    }),
    route<VerificationBody, unknown, CustomerParams>({
      ...own,
      method: 'POST',
      path: `${BASE}/{customerId}/verifications`,
      summary: 'Send a code to an address in the customer’s record',
      description:
        'An address is verified when the customer returns a code that we sent there. Before that we send nothing ' +
        'else to it.',
      body: verificationBody,
      idempotent: true,
      responses: { 201: { description: 'The session for the code', schema: sessionSchema } },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        return {
          status: 201,
          body: await identity.verification.start(ctx.tenantId, actorOf(ctx), customerId, ctx.body),
        };
      },
    }),
    route<VerificationAnswer, unknown, CustomerParams>({
      ...own,
      method: 'POST',
      path: `${BASE}/{customerId}/verifications/confirm`,
      summary: 'Verify an address with the code that we sent to it',
      body: verificationAnswer,
      responses: { 200: { description: 'The address is verified', schema: verifiedSchema } },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        return {
          status: 200,
          body: await identity.verification.confirm(ctx.tenantId, actorOf(ctx), customerId, ctx.body),
        };
      },
    }),
    route<unknown, unknown, CustomerParams>({
      ...own,
      method: 'DELETE',
      path: `${BASE}/{customerId}/tokens`,
      summary: 'End every token of a customer, and sign it out of every page',
      responses: { 204: { description: 'No token of the customer works any more' } },
      handler: async (ctx) => {
        const { customerId } = ctx.params;
        requireOwn(ctx.principal, customerId);
        await database.tenant(ctx.tenantId, async (trx) => {
          await findCustomer(trx, customerId);
          const ended = await endTokens(trx, customerId);
          await noteCustomer(trx, ctx.tenantId, actorOf(ctx), 'customer.end_tokens', customerId, { ended });
        });
        return { status: 204 };
      },
    }),
  ];
}
