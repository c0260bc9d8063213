import { picturesOf } from '../../money/payments/qr-pictures';
import type { UserSecondFactor } from '../../people/identity/users/second-factor';
import { type Route, route } from '../server/route';
import { givenCode } from '../server/second-factor';
import { recoveryCodesSchema, totpAnswer, totpSchema } from './schema';
import { signedInUserOf } from './signed-in-user';

const TOTP = '/auth/1.0.0/users/totp';
const CODE_TEXT =
  'If the user has a confirmed app, send its code in the header `X-Two-Factor-Code`, or the answer is 422 `two_factor_required`.';

export interface UserTotpDependencies {
  onboarding: { secondFactor: UserSecondFactor };
}

/** A user's authenticator app. */
export function userTotpRoutes({ onboarding }: UserTotpDependencies): Route[] {
  const common = { area: 'Authentication', roles: ['merchant', 'tenant_admin', 'ops'] as const };
  return [
    route({
      ...common,
      method: 'POST',
      path: TOTP,
      summary: 'Enrol an authenticator app for the signed-in user',
      description: `The app works after you confirm it. ${CODE_TEXT}`,
      responses: { 201: { description: 'The secret, which is shown only once', schema: totpSchema } },
      handler: async (ctx) => {
        const enrolled = await onboarding.secondFactor.begin(
          signedInUserOf(ctx),
          givenCode(ctx.headers).code,
          ctx.source,
        );
        return { status: 201, body: { ...enrolled, ...(await picturesOf(enrolled.uri)) } };
      },
    }),
    route<{ code: string }>({
      ...common,
      method: 'POST',
      path: `${TOTP}/confirm`,
      summary: 'Confirm the authenticator app with one of its codes',
      description: 'From then on the user also needs a code to sign in.',
      body: totpAnswer,
      responses: { 200: { description: 'The app works from now on', schema: recoveryCodesSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: { recoveryCodes: await onboarding.secondFactor.confirm(signedInUserOf(ctx), ctx.body.code, ctx.source) },
      }),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: TOTP,
      summary: 'Remove the authenticator app and its recovery codes',
      description: CODE_TEXT,
      responses: { 204: { description: 'The app is removed' } },
      handler: async (ctx) => {
        await onboarding.secondFactor.remove(signedInUserOf(ctx), givenCode(ctx.headers).code, ctx.source);
        return { status: 204 };
      },
    }),
  ];
}
