import { randomUUID } from 'node:crypto';
import { parse as parseQueryString } from 'node:querystring';
import { isDeepStrictEqual } from 'node:util';
import Koa, { type Context } from 'koa';
import type { Logger } from 'pino';
import { DomainError, type FieldError } from '../../domain/errors';
import { ID_PREFIXES } from '../../domain/ids';
import type { Config } from '../../foundation/config/config';
import type { Database } from '../../foundation/db/database';
import type { KeyClaim } from '../../foundation/db/key-claim';
import { loggable } from '../../foundation/log/failures';
import { maskDigits } from '../../foundation/log/mask';
import { Keyring, Mac } from '../../foundation/vault/keyring';
import { sweepCardAttempts } from '../../money/limits/attempt-limits';
import { sweepExpired } from '../../people/identity/expired';
import { Organizations } from '../../people/identity/organizations';
import type { Principal } from '../../people/identity/principal';
import { Tokens } from '../../people/identity/tokens';
import { RequestContext, type Scope } from './context';
import { refuseOutsideEntrance } from './entrance/app';
import { errorBody, HTTP_STATUS, toDomainError } from './errors';
import { type List, listOfRoute } from './list';
import { canonicalJson, hasBody, parseJson, readBody, requireJson, uploadOf } from './middleware/body';
import { Idempotency } from './middleware/idempotency';
import { Instance } from './middleware/instance';
import { EXPORT_PAGE, ListExports } from './middleware/list-exports';
import { passToMount } from './middleware/mounts';
import { AnonymousLimit, RateLimit } from './middleware/rate-limit';
import { logRefusal, setRefusal } from './middleware/refusal';
import { Endpoints, type Match } from './middleware/routing';
import { narrow, requireRole } from './middleware/scope';
import { sourceAddressOf } from './middleware/source-address';
import { RequestTurns } from './middleware/turns';
import { check, checkParams, checkQuery, prepare, refuseInvalid, type Validator } from './middleware/validation';
import type { Answer, RawMount, Route } from './route';
import { SessionCookie } from './session-cookie';

export interface AppDependencies {
  config: Config;
  database: Database;
  logger: Logger;
  routes: Route[];
  /** They come after the routes, in this order. */
  rawMounts?: RawMount[];
}

/** The Koa app, with what starts and ends with it. */
export interface App {
  koa: Koa;
  /** Registers this process among the API's processes. Rejects while the database is away; the next request tries again. */
  start(): Promise<void>;
  /** Removes old idempotency keys and expired tokens. Call it every few minutes. */
  sweep(): Promise<void>;
  close(): Promise<void>;
  /** The keys and turns of this process, for the entrance too. */
  idempotency: Pick<Idempotency, 'run'>;
  turns: Pick<RequestTurns, 'run'>;
}

interface Endpoint {
  route: Route;
  validator: Validator;
  list?: List;
}

const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;

/** Builds the API from its route table. Prepares each route once, so that a request has less work. */
export function createApp({ config, database, logger, routes, rawMounts = [] }: AppDependencies): App {
  if (!config.database.directUrl || !config.keys.vault || !config.keys.vaultHmac)
    throw new Error('the API needs DATABASE_URL, VAULT_KEYS and VAULT_HMAC_KEY');
  const instance = new Instance(config.database.directUrl);
  const idempotency = new Idempotency(
    database,
    instance,
    new Keyring(config.keys.vault, 'idempotency'),
    new Mac(config.keys.vaultHmac, 'idempotency'),
  );
  const tokens = new Tokens(database, config.api.accessTokenCacheMs);
  const sessionCookie = new SessionCookie(config.publicUrl);
  const organizations = new Organizations(database);
  const rateLimit = new RateLimit(config.api.rateLimitPerSecond, () => instance.processes);
  const turns = new RequestTurns(config.api.turns);
  const anonymous = new AnonymousLimit(config.api.anonymousPerSecond);
  const listExports = new ListExports(config.api.exportsPerClient, Math.max(1, Math.floor(config.database.pool / 4)));
  const sourceOf = sourceAddressOf(config.trustedProxies);
  const endpoints = new Endpoints<Endpoint>(
    routes.map((route) => ({ route, validator: prepare(route), list: listOfRoute(route) })),
  );

  /** By bearer token, or without one by the cookie of a user's session. */
  async function authenticate(ctx: Context, { enrolling }: Route): Promise<Principal> {
    const { authorization } = ctx.headers;
    const cookie = authorization === undefined ? sessionCookie.read(ctx) : undefined;
    if (cookie === undefined) return tokens.authenticate(authorization, { enrolling });
    sessionCookie.requireOwnPage(ctx.method, ctx.headers);
    return tokens.authenticateCookie(cookie, { enrolling });
  }

  /** Reads and validates everything that the route asks for, then reports all errors together. */
  async function parse(ctx: Context, { value, params }: Match<Endpoint>, details: FieldError[]) {
    const { route, validator } = value;
    const hasQuery = ctx.querystring !== '' || validator.query !== undefined;
    const sent = route.method === 'GET' || route.uploads ? undefined : await parseBody(ctx, route);
    if (validator.headers) check(validator.headers, ctx.headers, 'header', details);
    return {
      params: checkParams(validator, params, details),
      query: hasQuery ? checkQuery(validator.query, parseQueryString(ctx.querystring), details) : {},
      sent,
      body:
        route.method === 'GET' || route.uploads ? undefined : check(validator.body, sent, 'body', details, { params }),
    };
  }

  function parseBody(ctx: Context, route: Route): Promise<unknown> | unknown {
    if (!hasBody(ctx.req)) {
      if (route.body && !route.optionalBody && ctx.headers['content-type']) requireJson(ctx.req);
      return route.body?.type === 'array' ? undefined : {};
    }
    requireJson(ctx.req);
    return readBody(ctx.req, route.bodyLimit ?? config.api.bodyLimitBytes).then((bytes) =>
      bytes.length === 0 ? {} : parseJson(bytes, route.keepNulls),
    );
  }

  /** Undefined on a public route. Throws for a token that is no longer good, or of another role. */
  async function callerOf(ctx: Context, route: Route): Promise<Principal | undefined> {
    if (route.roles === 'public') return undefined;
    const principal = await authenticate(ctx, route);
    ctx.state.clientId = principal.clientId;
    requireRole(route, principal);
    return principal;
  }

  async function serve(ctx: Context, match: Match<Endpoint>): Promise<Answer> {
    const { route, validator, list } = match.value;
    const details: FieldError[] = [];
    if (route.entrance) refuseOutsideEntrance(config.authUrl);
    if (route.roles === 'public') anonymous.take(ctx.method, sourceOf(ctx.req));
    const principal = await callerOf(ctx, route);
    let scope: Scope = {};
    if (principal) {
      rateLimit.take(principal.clientId);
      scope = await narrow(principal, ctx.headers, route.identity, organizations, details);
    }
    const { params, query, body, sent } = await parse(ctx, match, details);
    const key = route.idempotent ? (ctx.headers['idempotency-key'] as string | undefined) : undefined;
    if (key !== undefined && !IDEMPOTENCY_KEY.test(key))
      details.push({ field: 'Idempotency-Key', message: 'must have 1 to 255 printable ASCII characters' });
    refuseInvalid(details);

    const handle = (seed?: string, asked = query, claim?: KeyClaim) =>
      route.handler(
        new RequestContext(
          ctx.state.requestId,
          ctx.method,
          match.path,
          ctx.state.source ?? sourceOf(ctx.req),
          ctx.headers,
          params,
          asked,
          body,
          principal,
          scope,
          seed,
          route.uploads && uploadOf(ctx.req, route.bodyLimit ?? config.api.bodyLimitBytes),
          undefined,
          claim,
        ),
      );
    if (list && principal) {
      ctx.vary('Accept');
      if (ctx.method === 'GET' && ctx.accepts('application/json', 'text/csv') === 'text/csv')
        return listExports.answer(principal.clientId, list, async (cursor) => {
          const pages = list.next && { limit: EXPORT_PAGE };
          if (cursor === undefined) return handle(undefined, { ...(query as object), ...pages });
          // The token may have ended since the page before, or stand for less now.
          if (!isDeepStrictEqual(await callerOf(ctx, route), principal))
            throw new DomainError('unauthorized', 'The rights of the caller have changed');
          const next = { ...parseQueryString(ctx.querystring), [list.next!]: cursor };
          return handle(undefined, { ...(checkQuery(validator.query, next, []) as object), ...pages });
        });
    }
    const answer = () => {
      if (key === undefined) return handle();
      const request = canonicalJson([route.method, match.path, scope.tenantId, scope.organizationId, query, sent]);
      const keyOf = { clientId: principal?.clientId ?? `public:${sourceOf(ctx.req)}`, path: match.path, key };
      return route.idempotent === 'claims'
        ? idempotency.runClaiming(keyOf, request, (seed, claim) => handle(seed, query, claim))
        : idempotency.run(keyOf, request, handle);
    };
    // Operators, who are few, wait for nobody.
    if (!principal?.tenantId) return answer();
    const asker = { tenant: principal.tenantId, organization: scope.organizationId ?? '' };
    return turns.run(ctx.method, asker, answer);
  }

  async function dispatch(ctx: Context): Promise<void> {
    const match = endpoints.match(ctx.method, ctx.path);
    if (match) {
      ctx.state.route = match.value.route.path;
      return respond(ctx, await serve(ctx, match));
    }
    return passToMount(rawMounts, ctx, sourceOf, (source) => anonymous.take(ctx.method, source));
  }

  const baseHeaders = Object.entries({
    ...SECURITY_HEADERS,
    ...(config.tls && { 'Strict-Transport-Security': 'max-age=31536000' }),
  });
  const koa = new Koa();
  koa.use(async (ctx) => {
    const startedAt = performance.now();
    const given = ctx.headers['x-request-id'];
    const requestId =
      typeof given === 'string' && REQUEST_ID.test(given) ? given : `${ID_PREFIXES.request}_${randomUUID()}`;
    ctx.state.requestId = requestId;
    // Set directly in Node: Koa's `set` takes three times as long, on every request.
    for (const [name, value] of baseHeaders) ctx.res.setHeader(name, value);
    ctx.res.setHeader('X-Request-Id', requestId);
    try {
      await dispatch(ctx);
    } catch (error) {
      refuse(ctx, error, logger, config.publicUrl);
    }
    if (!logger.isLevelEnabled('info')) return;
    const line = {
      requestId,
      method: ctx.method,
      path: ctx.state.loggedPath ?? maskDigits(ctx.path),
      status: ctx.status,
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      clientId: ctx.state.clientId,
    };
    logger.info(line, 'request');
  });
  // An error after the answer has begun, such as a client that left: there is nothing to send.
  koa.on('error', (error: Error) => logger.warn({ error: loggable(error) }, 'response not sent'));

  return {
    koa,
    idempotency,
    turns,
    start: () => instance.hold(),
    async sweep() {
      await idempotency.sweep(config.api.idempotencyRetentionMs);
      await sweepExpired(database);
      await sweepCardAttempts(database);
    },
    async close() {
      await idempotency.close();
      await instance.close();
    },
  };
}

function respond(ctx: Context, { status, body, headers }: Answer): void {
  ctx.status = status;
  if (headers) ctx.set(headers);
  if (body === undefined) {
    ctx.body = null;
    // Koa turns an empty body into 204.
    ctx.status = status;
    return;
  }
  const isRaw =
    typeof body === 'string' ||
    Buffer.isBuffer(body) ||
    typeof (body as { pipe?: unknown } | null)?.pipe === 'function';
  // As with the headers of every answer: set directly in Node.
  if (!isRaw) ctx.res.setHeader('Content-Type', 'application/json; charset=utf-8');
  ctx.body = isRaw ? body : JSON.stringify(body);
}

function refuse(ctx: Context, thrown: unknown, logger: Logger, publicUrl: string): void {
  const error = toDomainError(thrown);
  const { requestId } = ctx.state;
  logRefusal(logger, error, thrown, { requestId, route: ctx.state.route });
  if (ctx.respond === false || ctx.headerSent) return;
  setRefusal(ctx, error, HTTP_STATUS[error.code]);
  if (error.code === 'unauthorized') ctx.set('WWW-Authenticate', 'Bearer realm="tillway"');
  ctx.body = JSON.stringify(errorBody(error, { method: ctx.method, path: ctx.path, requestId, publicUrl }));
}
