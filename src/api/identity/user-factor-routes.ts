import { picturesOf } from '../../money/payments/qr-pictures';
import type { UserSecondFactor } from '../../people/identity/users/second-factor';
import { type Route, route } from '../server/route';
import { givenCode } from '../server/second-factor';
import { recoveryCodesSchema, totpAnswer, totpSchema } from './schema';
import { selfOf, signedInUserOf } from './signed-in-user';
import { factorsSchema } from './user-schema';

const USERS = '/auth/1.0.0/users';
const TOTP = `${USERS}/totp`;

/** For the descriptions of routes that change somebody's second factors. */
export const PROOF_TEXT =
  'If you signed in more than ten minutes ago (`USER_FRESH_SIGN_IN_MS`), send a code of your authenticator app or a ' +
  'recovery code in the header `X-Two-Factor-Code`, or the answer is 422 `two_factor_required`. If you have neither, ' +
  'the answer is 403 `sign_in_again`.';

export interface UserFactorDependencies {
  onboarding: { secondFactor: UserSecondFactor };
}

/** A user's second factors: the authenticator app, and recovery codes. */
export function userFactorRoutes({ onboarding }: UserFactorDependencies): Route[] {
  const common = { area: 'Authentication', roles: ['merchant', 'tenant_admin', 'ops'] as const };
  // The OpenAPI document is made without dependencies.
  const { secondFactor } = onboarding ?? {};
  return [
    route({
      ...common,
      enrolling: true,
      method: 'GET',
      path: `${USERS}/factors`,
      summary: 'Your second factors',
      responses: { 200: { description: 'What you can show beside the password', schema: factorsSchema } },
      handler: async (ctx) => ({ status: 200, body: await secondFactor.of(signedInUserOf(ctx)) }),
    }),
    route({
      ...common,
      enrolling: true,
      method: 'POST',
      path: TOTP,
      summary: 'Enrol an authenticator app for the signed-in user',
      description: `The app works after you confirm it. ${PROOF_TEXT}`,
      responses: { 201: { description: 'The secret, which is shown only once', schema: totpSchema } },
      handler: async (ctx) => {
        const enrolled = await secondFactor.begin(selfOf(ctx), givenCode(ctx.headers).code);
        return { status: 201, body: { ...enrolled, ...(await picturesOf(enrolled.uri)) } };
      },
    }),
    route<{ code: string }>({
      ...common,
      enrolling: true,
      method: 'POST',
      path: `${TOTP}/confirm`,
      summary: 'Confirm the authenticator app with one of its codes',
      description: 'From then on the user also needs a code to sign in. The other sessions of the user end.',
      body: totpAnswer,
      responses: { 200: { description: 'The app works from now on', schema: recoveryCodesSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: { recoveryCodes: await secondFactor.confirm(selfOf(ctx), ctx.body.code) },
      }),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: TOTP,
      summary: 'Remove the authenticator app',
      description:
        'Recovery codes stay while you have a passkey. Tenant admins and operators cannot remove their last second ' +
        `factor: the answer is 409. The other sessions of the user end. ${PROOF_TEXT}`,
      responses: { 204: { description: 'The app is removed' } },
      handler: async (ctx) => {
        await secondFactor.remove(selfOf(ctx), givenCode(ctx.headers).code);
        return { status: 204 };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${USERS}/recovery-codes`,
      summary: 'Replace your recovery codes',
      description: `The old ones no longer work. ${PROOF_TEXT}`,
      responses: { 201: { description: 'The new codes, which are shown only once', schema: recoveryCodesSchema } },
      handler: async (ctx) => ({
        status: 201,
        body: { recoveryCodes: await secondFactor.renewRecoveryCodes(selfOf(ctx), givenCode(ctx.headers).code) },
      }),
    }),
  ];
}
