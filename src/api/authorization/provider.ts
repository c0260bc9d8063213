import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import { errors, interactionPolicy, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Config } from '../../foundation/config/config';
import type { Database } from '../../foundation/db/database';
import { loggable } from '../../foundation/log/failures';
import { Mac } from '../../foundation/vault/keyring';
import type { Consents } from '../../open-banking/consents/service';
import type { SigningKeys } from '../../open-banking/keys/signing-keys';
import type { TppRegistry } from '../../open-banking/tpps/registry';
import { TPP_SCOPES, type TppRow } from '../../open-banking/tpps/tpp';
import { shownCertificate } from '../server/entrance/peer';
import { PostgresAdapter } from '../server/oidc-store';
import { ACRS } from './acr';
import { fapiProfileOf, RESPONSE_TYPES, requiresPkce } from './profiles';
import { RequestRules } from './request-rules';
import { TppClients } from './tpp-clients';

export const INTERACTION_PATH = '/interaction';

const MINUTE = 60;
const DAY = 24 * 3_600;

export interface AuthorizationDependencies {
  config: Config;
  database: Database;
  registry: TppRegistry;
  keys: SigningKeys;
  consents: Pick<Consents, 'forAuthorisation' | 'idByGrant'>;
  log: { error(fields: object, message: string): void };
}

/** The provider that each request has shown its certificate for. Filled before the library looks. */
export type Shown = WeakMap<IncomingMessage, TppRow>;

/**
 * The authorization server of third-party providers: oidc-provider, with its state in Postgres. FAPI 2.0 Security Profile or
 * FAPI 1.0 Advanced for those registered so; for the others mutual TLS, bound tokens, PKCE.
 */
export async function openProvider(deps: AuthorizationDependencies, shown: Shown): Promise<Provider> {
  const { config, database, registry, keys, consents, log } = deps;
  const rules = new RequestRules({ database, consents });
  const cookieKeys = new Mac(config.keys.vaultHmac!, 'authorization cookies')
    .all('1')
    .map((key) => key.toString('base64url'));
  const provider = new Provider(config.authUrl, {
    adapter: (model: string) =>
      model === 'Client'
        ? (new TppClients(registry) as never)
        : new PostgresAdapter(model, database, () => new errors.InvalidGrant('already used')),
    claims: { openid: ['sub', 'openbanking_intent_id', 'acr'], acr: null, auth_time: null },
    acrValues: [...ACRS],
    clientAuthMethods: ['tls_client_auth'],
    clientDefaults: { id_token_signed_response_alg: 'PS256' },
    cookies: {
      keys: cookieKeys,
      long: { httpOnly: true, sameSite: 'lax', secure: true },
      short: { httpOnly: true, sameSite: 'lax', secure: true },
    },
    // FAPI 1.0 Advanced and 2.0 want it named in each request.
    allowOmittingSingleRegisteredRedirectUri: false,
    enabledJWA: {
      authorizationSigningAlgValues: ['PS256'],
      idTokenSigningAlgValues: ['PS256'],
      requestObjectSigningAlgValues: ['PS256', 'ES256'],
    },
    expiresWithSession: () => false,
    extraParams: { consent_id: rules.checkRequest },
    features: {
      claimsParameter: { enabled: true, assertClaimsParameter: rules.checkClaims },
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      fapi: { enabled: true, profile: fapiProfileOf },
      jwtResponseModes: { enabled: true },
      mTLS: {
        enabled: true,
        certificateBoundAccessTokens: true,
        tlsClientAuth: true,
        getCertificate: (ctx: KoaContextWithOIDC) => shownCertificate(ctx.req)?.certificate,
        certificateAuthorized: (ctx: KoaContextWithOIDC) => shown.has(ctx.req),
        certificateSubjectMatches: (ctx: KoaContextWithOIDC) => shown.get(ctx.req)?.id === ctx.oidc.client?.clientId,
      },
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: false },
      requestObjects: { enabled: true, assertJwtClaimsAndHeader: rules.checkRequestObject },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    // `source`: the code or refresh token that the id token is made from; absent for one beside a code.
    findAccount: (ctx: KoaContextWithOIDC, customerId: string, source?: { grantId?: string }) => ({
      accountId: customerId,
      claims: async () => {
        const grantId = source?.grantId ?? ctx.oidc.entities.Grant?.jti;
        return { sub: customerId, openbanking_intent_id: grantId && (await consents.idByGrant(grantId)) };
      },
    }),
    formats: { bitsOfOpaqueRandomness: 256 },
    interactions: {
      // Each consent is asked about anew, whoever is signed in: one prompt does it all.
      policy: [
        new interactionPolicy.Prompt(
          { name: 'consent', requestable: true },
          new interactionPolicy.Check('not_asked', 'the customer has to decide', (ctx) =>
            ctx.oidc.result?.consent
              ? interactionPolicy.Check.NO_NEED_TO_PROMPT
              : interactionPolicy.Check.REQUEST_PROMPT,
          ),
        ),
      ],
      url: (_ctx: KoaContextWithOIDC, { uid }: { uid: string }) => `${INTERACTION_PATH}/${uid}`,
    },
    issueRefreshToken: async (_ctx: KoaContextWithOIDC, _client: unknown, code: { scopes: Set<string> }) =>
      code.scopes.has('accounts') || code.scopes.has('fundsconfirmations'),
    jwks: { keys: await jwksOf(keys) },
    // Each decision of a customer has a grant of its own, never one of a session before.
    loadExistingGrant: async (ctx: KoaContextWithOIDC) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined;
    },
    pkce: { required: requiresPkce },
    responseTypes: [...new Set(Object.values(RESPONSE_TYPES).flat())],
    // RFC 8705 binds refresh tokens to the certificate, so they need not change (FAPI 2.0, section 5.3.2.1).
    rotateRefreshToken: false,
    routes: {
      authorization: '/authorize',
      jwks: '/jwks',
      pushed_authorization_request: '/par',
      token: '/token',
    },
    scopes: ['openid', ...TPP_SCOPES],
    ttl: {
      AccessToken: 60 * MINUTE,
      AuthorizationCode: MINUTE,
      ClientCredentials: Math.floor(config.api.accessTokenTtlMs / 1000),
      Grant: 400 * DAY,
      IdToken: 60 * MINUTE,
      Interaction: 30 * MINUTE,
      PushedAuthorizationRequest: MINUTE,
      RefreshToken: 400 * DAY,
      Session: 30 * MINUTE,
    },
  } as never);
  provider.on('server_error', (_ctx, error) => log.error({ error: loggable(error) }, 'authorization server failed'));
  (provider as unknown as Koa).on('error', (error: Error) =>
    log.error({ error: loggable(error) }, 'authorization server failed'),
  );
  return provider;
}

async function jwksOf(keys: SigningKeys) {
  return (await keys.all()).map(({ kid, privateKey }) => ({
    ...privateKey.export({ format: 'jwk' }),
    kid,
    use: 'sig',
    alg: 'PS256',
  }));
}
