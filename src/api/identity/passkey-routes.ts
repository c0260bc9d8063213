import type { Passkeys } from '../../people/identity/users/passkeys';
import type { Users } from '../../people/identity/users/user';
import type { KnownDeviceCookie } from '../server/known-device-cookie';
import { type Route, route } from '../server/route';
import { givenCode } from '../server/second-factor';
import type { SessionCookie } from '../server/session-cookie';
import {
  type NewPasskeyBody,
  newPasskeyBody,
  newPasskeySchema,
  optionsSchema,
  type PasskeyNameBody,
  type PasskeyParams,
  type PasskeySignInBody,
  passkeyNameBody,
  passkeyParams,
  passkeySchema,
  passkeySignInBody,
  passkeysSchema,
} from './passkey-schema';
import { selfOf, signedInUserOf } from './signed-in-user';
import { PROOF_TEXT } from './user-factor-routes';
import { userSessionSchema } from './user-schema';
import { SESSION, withCookie } from './user-session-routes';

const PASSKEYS = '/auth/1.0.0/users/passkeys';
const SIGN_IN = `${SESSION}/passkey`;

export interface PasskeyDependencies {
  onboarding: { users: Users; passkeys: Passkeys };
  sessionCookie: SessionCookie;
  knownDeviceCookie: KnownDeviceCookie;
}

/** Passkeys (WebAuthn): registered by a user who has signed in, and then enough to sign in. */
export function passkeyRoutes({ onboarding, sessionCookie, knownDeviceCookie }: PasskeyDependencies): Route[] {
  const common = { area: 'Authentication', roles: ['merchant', 'tenant_admin', 'ops'] as const };
  // The OpenAPI document is made without dependencies.
  const { passkeys, users } = onboarding ?? {};
  const one = { ...common, path: `${PASSKEYS}/{passkeyId}`, params: passkeyParams };
  return [
    route({
      ...common,
      roles: 'public',
      method: 'POST',
      path: `${SIGN_IN}/options`,
      summary: 'Begin to sign in with a passkey',
      description: 'Give the answer to `navigator.credentials.get()`. It works for five minutes, and once.',
      errors: [403, 429],
      responses: { 200: { description: 'PublicKeyCredentialRequestOptionsJSON', schema: optionsSchema } },
      handler: async ({ headers, source }) => {
        sessionCookie.requireOwnOrigin(headers);
        return { status: 200, body: await passkeys.signInOptions(source) };
      },
    }),
    route<PasskeySignInBody>({
      ...common,
      roles: 'public',
      method: 'POST',
      path: `${SIGN_IN}/verify`,
      summary: 'Sign in a user with a passkey and a cookie',
      description:
        'A passkey counts as password and second factor. The answer and the cookie are those of ' +
        '`POST /auth/1.0.0/users/session`. A 401 does not say what was wrong.',
      body: passkeySignInBody,
      errors: [401, 403],
      responses: { 201: { description: 'You are signed in', schema: userSessionSchema } },
      handler: async ({ body, headers, source }) => {
        sessionCookie.requireOwnOrigin(headers);
        const device = { source, agent: headers['user-agent'] };
        const signedIn = await passkeys.signIn(body.credential, device);
        return withCookie([sessionCookie, knownDeviceCookie], headers, users, signedIn);
      },
    }),
    route({
      ...common,
      enrolling: true,
      method: 'POST',
      path: `${PASSKEYS}/options`,
      summary: 'Begin to add a passkey',
      description: `Give the answer to \`navigator.credentials.create()\`. It works for five minutes, and once. ${PROOF_TEXT}`,
      responses: { 200: { description: 'PublicKeyCredentialCreationOptionsJSON', schema: optionsSchema } },
      handler: async (ctx) => ({
        status: 200,
        body: await passkeys.registrationOptions(selfOf(ctx), givenCode(ctx.headers).code),
      }),
    }),
    route<NewPasskeyBody>({
      ...common,
      enrolling: true,
      method: 'POST',
      path: PASSKEYS,
      summary: 'Add a passkey',
      description:
        'A user can have ten. The other sessions of the user end. The first second factor of a user comes with ten ' +
        'recovery codes, which are shown only once.',
      body: newPasskeyBody,
      responses: { 201: { description: 'The passkey works from now on', schema: newPasskeySchema } },
      handler: async (ctx) => {
        const { passkey, recoveryCodes } = await passkeys.register(selfOf(ctx), ctx.body);
        return { status: 201, body: { ...passkey, ...(recoveryCodes && { recoveryCodes }) } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: PASSKEYS,
      summary: 'Your passkeys',
      responses: { 200: { description: 'Newest first', schema: passkeysSchema } },
      handler: async (ctx) => ({ status: 200, body: { data: await passkeys.list(signedInUserOf(ctx)) } }),
    }),
    route<PasskeyNameBody, unknown, PasskeyParams>({
      ...one,
      method: 'PATCH',
      summary: 'Rename a passkey',
      body: passkeyNameBody,
      responses: { 200: { description: 'The passkey', schema: passkeySchema } },
      handler: async (ctx) => ({
        status: 200,
        body: await passkeys.rename(selfOf(ctx), ctx.params.passkeyId, ctx.body.name),
      }),
    }),
    route<unknown, unknown, PasskeyParams>({
      ...one,
      method: 'DELETE',
      summary: 'Remove a passkey',
      description:
        'Tenant admins and operators cannot remove their last second factor: the answer is 409. The other sessions of ' +
        `the user end. ${PROOF_TEXT}`,
      responses: { 204: { description: 'It no longer works' } },
      handler: async (ctx) => {
        await passkeys.remove(selfOf(ctx), ctx.params.passkeyId, givenCode(ctx.headers).code);
        return { status: 204 };
      },
    }),
  ];
}
