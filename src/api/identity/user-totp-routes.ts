import { DomainError } from '../../domain/errors';
import { picturesOf } from '../../money/payments/qr-pictures';
import type { UserSecondFactor } from '../../people/identity/users/second-factor';
import type { RequestContext } from '../server/context';
import { type Route, route } from '../server/route';
import { givenCode } from '../server/second-factor';
import { recoveryCodesSchema, totpAnswer, totpSchema } from './schema';

const TOTP = '/auth/1.0.0/users/totp';
const CODE_TEXT = 'One that counts already asks for its code: 422 `two_factor_required`, header `X-Two-Factor-Code`.';

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
      summary: 'Enrol an authenticator app for oneself',
      description: `It counts once it is confirmed. ${CODE_TEXT}`,
      responses: { 201: { description: 'The secret, shown this once', schema: totpSchema } },
      handler: async (ctx) => {
        const enrolled = await onboarding.secondFactor.begin(userOf(ctx), givenCode(ctx.headers).code, ctx.source);
        return { status: 201, body: { ...enrolled, ...(await picturesOf(enrolled.uri)) } };
      },
    }),
    route<{ code: string }>({
      ...common,
      method: 'POST',
      path: `${TOTP}/confirm`,
      summary: 'Confirm the authenticator app by one of its codes',
      description: 'From then on the user signs in with a code too.',
      body: totpAnswer,
      responses: { 200: { description: 'It counts from now on', schema: recoveryCodesSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: { recoveryCodes: await onboarding.secondFactor.confirm(userOf(ctx), ctx.body.code, ctx.source) },
      }),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: TOTP,
      summary: 'Remove the authenticator app and its recovery codes',
      description: CODE_TEXT,
      responses: { 204: { description: 'Removed' } },
      handler: async (ctx) => {
        await onboarding.secondFactor.remove(userOf(ctx), givenCode(ctx.headers).code, ctx.source);
        return { status: 204 };
      },
    }),
  ];
}

function userOf(ctx: RequestContext<unknown, unknown, unknown>): string {
  const { userId } = ctx.principal;
  if (!userId) throw new DomainError('forbidden', 'This is the token of a client, not of a user');
  return userId;
}
