import { generateKeyPairSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type Koa from 'koa';
import type { Context, Middleware } from 'koa';
import { errors, Provider } from 'oidc-provider';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { SecurityEvents } from '../../foundation/audit-log/security-events';
import type { Config } from '../../foundation/config/config';
import type { Database } from '../../foundation/db/database';
import { isOutage, loggable } from '../../foundation/log/failures';
import { maskDigits } from '../../foundation/log/mask';
import { hashSecret } from '../../people/identity/clients';
import { CLIENT_ROLES } from '../../people/identity/principal';
import { SignInThrottle } from '../../people/identity/sign-in-throttle';
import { readBody } from '../server/middleware/body';
import { MethodNotAllowed } from '../server/middleware/routing';
import { PostgresAdapter } from '../server/oidc-store';
import type { RawMount } from '../server/route';
import { ClientAdapter } from './oidc-client-adapter';

export const TOKEN_PATH = '/auth/1.0.0/token';
export const REVOKE_PATH = '/auth/1.0.0/revoke';

/** oidc-provider reads at most this many bytes. */
const BODY_LIMIT = 56 * 1024;

export interface TokenEndpointDependencies {
  config: Config;
  database: Database;
  securityEvents: SecurityEvents;
  sourceOf: (request: IncomingMessage) => string;
  log: { error(fields: object, message: string): void };
}

/**
 * `POST /auth/1.0.0/token`: OAuth 2.0 client credentials (RFC 6749 section 4.4), client id and secret in the Basic
 * header or the form. Answers an opaque token; its scope is the client's role. `POST /auth/1.0.0/revoke` ends one of the
 * client's own (RFC 7009). oidc-provider does the protocol.
 */
export function tokenEndpoints(deps: TokenEndpointDependencies): RawMount[] {
  const { config, database, sourceOf, log } = deps;
  const throttle = new SignInThrottle(database);

  /** Runs before a client is looked up: has this address tried too often? */
  async function admit(clientId: string): Promise<void> {
    const ctx = Provider.ctx!;
    ctx.state.clientId = clientId;
    const seconds = await throttle.wait(clientId, sourceOf(ctx.req));
    if (seconds === 0) return;
    ctx.set('Retry-After', String(seconds));
    const refusal = new errors.CustomOIDCProviderError(
      'slow_down',
      'too many wrong attempts, wait before you try again',
    );
    throw Object.assign(refusal, { status: 429, statusCode: 429 });
  }

  async function record(ctx: Context): Promise<void> {
    const source = sourceOf(ctx.req);
    if (ctx.path === REVOKE_PATH && ctx.status === 200) await recordRevocation(database, ctx, source);
    if (ctx.status !== 401 || typeof ctx.state.clientId !== 'string') return;
    await throttle.countWrong(ctx.state.clientId, source);
    await recordRefusal(deps, ctx.state.clientId, source, ctx.oidc?.client !== undefined);
  }

  const provider = new Provider(config.publicUrl, {
    adapter: (model: string) =>
      model === 'Client'
        ? (new ClientAdapter(database, admit) as never)
        : new PostgresAdapter(model, database, () => new errors.InvalidGrant('already used')),
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx: unknown, client: { clientId: string }, token: { clientId?: string }) => {
          if (token.clientId !== client.clientId) throw new errors.InvalidRequest('this token is not yours');
          return true;
        },
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    formats: { bitsOfOpaqueRandomness: 256 },
    // Tokens are opaque, so nothing is signed. The library still asks for a key.
    jwks: {
      keys: [
        { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), use: 'sig' },
      ],
    },
    responseTypes: ['code'],
    routes: { token: TOKEN_PATH, revocation: REVOKE_PATH },
    scopes: [...CLIENT_ROLES],
    ttl: { ClientCredentials: Math.floor(config.api.accessTokenTtlMs / 1000) },
  });
  provider.Client.prototype.compareClientSecret = function compareClientSecret(
    this: { clientSecret?: string },
    actual: string,
  ) {
    const sent = hashSecret(actual);
    const good = (this.clientSecret ?? '').split('.').map((hash) => timingSafeEqual(sent, Buffer.from(hash, 'hex')));
    return good.includes(true);
  };
  provider.on('server_error', (ctx, error) => {
    ctx.state.failure = error;
  });
  // The library's own message for a body whose length was not declared.
  const noteSize = (ctx: { state: Record<string, unknown> }, error: Error) => {
    ctx.state.isTooLarge = (error.cause as Error | undefined)?.message === 'request entity too large';
  };
  provider.on('grant.error', noteSize);
  provider.on('revocation.error', noteSize);
  (provider as Koa).on('error', (error: Error) => log.error({ error: loggable(error) }, 'token endpoint failed'));

  provider.use(async (ctx: Context, next: () => Promise<void>) => {
    await next();
    const body = ctx.body as { access_token?: string; scope?: string; error?: string } | undefined;
    const client = ctx.oidc?.client;
    if (body?.access_token) ctx.body = { ...body, scope: client?.scope };
    else if (ctx.state.failure) failed(ctx, log);
    else if (ctx.state.isTooLarge) await refuseTooLarge(ctx);
    else if (body?.error === 'invalid_request' && ctx.oidc?.params && !client && triedOneWayAtMost(ctx))
      refuseUnauthenticated(ctx);
    try {
      await record(ctx);
    } catch (error) {
      ctx.state.failure = error;
      failed(ctx, log);
    }
  });

  const handle = provider.callback();
  const middleware: Middleware = async (ctx) => {
    if (ctx.method !== 'POST') throw new MethodNotAllowed(['POST']);
    ctx.respond = false;
    await handle(ctx.req, ctx.res);
  };
  return [TOKEN_PATH, REVOKE_PATH].map((prefix) => ({ prefix, middleware }));
}

function triedOneWayAtMost(ctx: Context): boolean {
  return !(ctx.headers.authorization !== undefined && ctx.oidc.params.client_secret !== undefined);
}

/** RFC 6749 section 5.2: missing or unreadable client authentication is `invalid_client` too, but the library answers 400. */
function refuseUnauthenticated(ctx: Context): void {
  ctx.status = 401;
  ctx.set('WWW-Authenticate', 'Basic realm="tillway"');
  ctx.body = { error: 'invalid_client', error_description: 'client authentication failed' };
}

/** Reads the rest of the body and discards it, so that the client sees the answer. */
async function refuseTooLarge(ctx: Context): Promise<void> {
  await readBody(ctx.req, 0).catch(() => undefined);
  ctx.status = 413;
  ctx.set('Connection', 'close');
  ctx.body = { error: 'invalid_request', error_description: `the body may have at most ${BODY_LIMIT} bytes` };
}

function failed(ctx: Context, log: TokenEndpointDependencies['log']): void {
  const error = ctx.state.failure;
  log.error({ error: loggable(error) }, 'token endpoint failed');
  if (!isOutage(error)) return;
  ctx.status = 503;
  ctx.set('Retry-After', '1');
  ctx.body = { error: 'temporarily_unavailable', error_description: 'the service is temporarily unavailable' };
}

/** A client has ended one of its own tokens. What is no token of its own leaves no line. */
async function recordRevocation({ system }: Database, { oidc }: Context, source: string): Promise<void> {
  const token = oidc.entities.ClientCredentials;
  if (!token || token.clientId !== oidc.client?.clientId) return;
  const client = await system('clients').where({ id: token.clientId }).first('tenant_id');
  await appendAuditLine(system, {
    tenantId: client?.tenant_id ?? null,
    actor: token.clientId,
    action: 'client.revoke_token',
    target: token.clientId,
    source,
    result: 'done',
  });
}

/** A wrong secret of a known client goes to its tenant's audit log, an unknown client to the operators' log. */
async function recordRefusal(
  { database, securityEvents }: TokenEndpointDependencies,
  clientId: string,
  source: string,
  known: boolean,
): Promise<void> {
  const { system } = database;
  if (!known) return securityEvents.note('unknown_client', source, { clientId: maskDigits(clientId).slice(0, 100) });
  const client = await system('clients').where({ id: clientId }).first('tenant_id');
  await appendAuditLine(system, {
    tenantId: client?.tenant_id ?? null,
    actor: clientId,
    action: 'sign_in',
    source,
    result: 'refused',
  });
}
