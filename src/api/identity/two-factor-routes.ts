import type { Database } from '../../foundation/db/database';
import { picturesOf } from '../../money/payments/qr-pictures';
import type { CustomerIdentity } from '../../people/customer-access/identity';
import { findCustomer } from '../../people/customers/customer';
import { actorOf } from '../server/actor';
import type { RequestContext } from '../server/context';
import { requireOwn } from '../server/middleware/scope';
import { type CustomerParams, customerParams } from '../server/params';
import { type Route, route } from '../server/route';
import { challengedBy, givenCode, TWO_FACTOR_TEXT } from '../server/second-factor';
import {
  recoveryCodesSchema,
  type TwoFactorBody,
  totpAnswer,
  totpSchema,
  twoFactorBody,
  twoFactorSchema,
} from './schema';

const BASE = '/customer/1.0.0';

export interface TwoFactorDependencies {
  identity: CustomerIdentity;
  database: Database;
}

/** The documented 2FA settings, authenticators and recovery codes. Customers act for themselves, tenant admins for them. */
export function twoFactorRoutes({ identity, database }: TwoFactorDependencies): Route[] {
  const common = {
    area: 'Customers',
    roles: ['tenant_admin', 'customer'] as const,
    identity: 'tenantId' as const,
    params: customerParams,
  };
  const asked = (ctx: RequestContext<unknown, unknown, CustomerParams>) => {
    requireOwn(ctx.principal, ctx.params.customerId);
    return [challengedBy(ctx, ctx.params.customerId), actorOf(ctx)] as const;
  };
  return [
    route<unknown, unknown, CustomerParams>({
      ...common,
      method: 'GET',
      path: `${BASE}/twoFA/{customerId}`,
      roles: ['tenant_admin', 'customer', 'ops'],
      summary: '2FA settings',
      responses: { 200: { description: 'The settings', schema: twoFactorSchema } },
      handler: async (ctx) => {
        requireOwn(ctx.principal, ctx.params.customerId);
        const body = await database.tenant(ctx.tenantId, async (trx) =>
          identity.secondFactor.settings(trx, await findCustomer(trx, ctx.params.customerId)),
        );
        return { status: 200, body };
      },
    }),
    route<TwoFactorBody, unknown, CustomerParams>({
      ...common,
      method: 'PUT',
      path: `${BASE}/twoFA/changeTwoFa/{customerId}`,
      summary: 'Change 2FA settings',
      description:
        '`login` asks for a second factor at sign-in, `funding` for top-ups and transfers, `trading` for ' +
        'beneficiaries, standing orders and money requests. Customers need the second factor to switch a setting ' +
        `off. ${TWO_FACTOR_TEXT}`,
      body: twoFactorBody,
      responses: { 200: { description: 'The settings', schema: twoFactorSchema } },
      handler: async (ctx) => {
        const { customerId: _same, ...flags } = ctx.body;
        return { status: 200, body: await identity.secondFactor.change(...asked(ctx), flags, givenCode(ctx.headers)) };
      },
    }),
    route<unknown, unknown, CustomerParams>({
      ...common,
      method: 'POST',
      path: `${BASE}/{customerId}/totp`,
      summary: 'Enrol an authenticator app',
      description:
        'The app works after you confirm it. Customers need a code: of the app that they replace, or for the first one a ' +
        'code that goes to a verified address. ' +
        `${TWO_FACTOR_TEXT}`,
      responses: { 201: { description: 'The secret, which is shown only once', schema: totpSchema } },
      handler: async (ctx) => {
        const enrolled = await identity.enrolment.begin(...asked(ctx), givenCode(ctx.headers));
        return { status: 201, body: { ...enrolled, ...(await picturesOf(enrolled.uri)) } };
      },
    }),
    route<{ code: string }, unknown, CustomerParams>({
      ...common,
      method: 'POST',
      path: `${BASE}/{customerId}/totp/confirm`,
      summary: 'Confirm the authenticator app with one of its codes',
      body: totpAnswer,
      responses: { 200: { description: 'The app works from now on', schema: recoveryCodesSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: { recoveryCodes: await identity.enrolment.confirm(...asked(ctx), ctx.body.code) },
      }),
    }),
    route<unknown, unknown, CustomerParams>({
      ...common,
      method: 'DELETE',
      path: `${BASE}/{customerId}/totp`,
      summary: 'Remove the authenticator app and its recovery codes',
      description: `Customers need a code to do this. ${TWO_FACTOR_TEXT}`,
      responses: { 204: { description: 'The app is removed' } },
      handler: async (ctx) => {
        await identity.enrolment.remove(...asked(ctx), givenCode(ctx.headers));
        return { status: 204 };
      },
    }),
    route<unknown, unknown, CustomerParams>({
      ...common,
      method: 'POST',
      path: `${BASE}/{customerId}/recoveryCodes`,
      summary: 'Replace the recovery codes',
      description: `Customers need a code to do this. ${TWO_FACTOR_TEXT}`,
      responses: { 201: { description: 'The new codes, which are shown only once', schema: recoveryCodesSchema } },
      handler: async (ctx) => ({
        status: 201,
        body: { recoveryCodes: await identity.enrolment.renewRecoveryCodes(...asked(ctx), givenCode(ctx.headers)) },
      }),
    }),
  ];
}
