import { randomUUID } from 'node:crypto';
import { parse as parseQueryString } from 'node:querystring';
import Koa, { type Context } from 'koa';
import type { Logger } from 'pino';
import { DomainError, type FieldError } from '../../../domain/errors';
import { ID_PREFIXES } from '../../../domain/ids';
import type { Config } from '../../../foundation/config/config';
import type { Database } from '../../../foundation/db/database';
import { loggable } from '../../../foundation/log/failures';
import { maskDigits } from '../../../foundation/log/mask';
import type { Access } from '../../../open-banking/consents/accesses';
import type { UsableConsent } from '../../../open-banking/consents/usable';
import type { Signatures } from '../../../open-banking/signatures/signatures';
import type { TppRegistry } from '../../../open-banking/tpps/registry';
import type { TppRow } from '../../../open-banking/tpps/tpp';
import { type EntranceCall, RequestContext } from '../context';
import { errorBody, HTTP_STATUS, toDomainError } from '../errors';
import { canonicalJson, hasBody, parseJson, readBody, requireJson } from '../middleware/body';
import type { Idempotency } from '../middleware/idempotency';
import { passToMount } from '../middleware/mounts';
import { AnonymousLimit, RateLimit } from '../middleware/rate-limit';
import { logRefusal, setRefusal } from '../middleware/refusal';
import { Endpoints, type Match } from '../middleware/routing';
import { sourceAddressOf } from '../middleware/source-address';
import type { RequestTurns } from '../middleware/turns';
import { check, checkQuery, prepare, refuseInvalid, type Validator } from '../middleware/validation';
import type { Answer, Entrance, RawMount, Route } from '../route';
import { EntranceAccess } from './access';
import { Admission } from './admission';
import { obieAnswerOf } from './obie-error';

export interface EntranceDependencies {
  config: Config;
  database: Database;
  logger: Logger;
  registry: TppRegistry;
  consents: {
    usable(tppId: string, consentId: string, at: Date): Promise<UsableConsent>;
    noteAccess(access: Access): Promise<void>;
  };
  signatures: Pick<Signatures<TppRow>, 'verifyRequest' | 'signResponse'>;
  idempotency: Pick<Idempotency, 'run'>;
  turns: Pick<RequestTurns, 'run'>;
  /** Those with `entrance`; others are left out. */
  routes: Route[];
  /** The authorization server and its pages. They come after the routes. */
  rawMounts: RawMount[];
}

/** The context of a validated request, with the seed that its idempotency key keeps. */
type ContextWith = (seed: string | undefined) => RequestContext;

interface Endpoint {
  route: Route & { entrance: Entrance };
  validator: Validator;
}

const HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Strict-Transport-Security': 'max-age=31536000',
};
const INTERACTION_ID = /^[A-Za-z0-9-]{1,40}$/;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,40}$/;
/** An id of a ledger account: a bigint of Postgres. */
const ACCOUNT_ID = /^[1-9][0-9]{0,17}$/;

/** The app of the mutual-TLS entrance: what third-party providers call, and the authorization server. */
export function createEntrance(deps: EntranceDependencies): Koa {
  const { config, database, logger, registry, consents, signatures, idempotency, turns, routes, rawMounts } = deps;
  const access = new EntranceAccess(database, registry);
  const rateLimit = new RateLimit(config.api.rateLimitPerSecond);
  const admission = new Admission(registry, rateLimit, new AnonymousLimit(config.api.anonymousPerSecond));
  const sourceOf = sourceAddressOf(config.trustedProxies);
  const endpoints = new Endpoints<Endpoint>(
    routes.filter(hasEntrance).map((route) => ({ route, validator: prepare(route) })),
  );

  async function serve(ctx: Context, match: Match<Endpoint>): Promise<Answer> {
    const { route } = match.value;
    const { tpp, consentId } = await access.callerOf(ctx.req, route.entrance, sourceOf(ctx.req));
    ctx.state.clientId = tpp.id;
    rateLimit.take(tpp.id);
    return turns.run(route.method, { tenant: tpp.id, organization: '' }, () => answerIn(ctx, match, tpp, consentId));
  }

  /** `consentId`: of the caller's token. */
  async function answerIn(ctx: Context, match: Match<Endpoint>, tpp: TppRow, consentId?: string): Promise<Answer> {
    const { route } = match.value;
    if (consentId === undefined) return answerTo(ctx, match, tpp);
    const usable = () => consents.usable(tpp.id, consentId, new Date());
    return noted(accessOf(ctx, match, tpp.id, consentId), async () => {
      const answer = await answerTo(ctx, match, tpp, usable);
      // A consent that has ended while we read does not answer any more.
      if (route.method === 'GET') await usable();
      return answer;
    });
  }

  /** Writes down who read or ordered what under a consent, or why it was refused, before it is answered. */
  async function noted(entry: Access, work: () => Promise<Answer>): Promise<Answer> {
    const answer = await work().catch(async (error: unknown) => {
      const { code } = toDomainError(error);
      if (HTTP_STATUS[code] < 500) await consents.noteAccess({ ...entry, refusal: code });
      throw error;
    });
    await consents.noteAccess(entry);
    return answer;
  }

  /** Reads, checks and handles a request. `usable`: reads the consent that its token stands for. */
  async function answerTo(
    ctx: Context,
    match: Match<Endpoint>,
    tpp: TppRow,
    usable?: () => Promise<UsableConsent>,
  ): Promise<Answer> {
    const { route } = match.value;
    const rawBody = hasBody(ctx.req)
      ? await readBody(ctx.req, route.bodyLimit ?? config.api.bodyLimitBytes)
      : Buffer.alloc(0);
    if (route.entrance.signed && route.method !== 'GET')
      await signatures.verifyRequest(rawBody, headerOf(ctx, 'x-jws-signature'), tpp, sourceOf(ctx.req));
    const call: EntranceCall = {
      tpp,
      interactionId: ctx.state.interactionId,
      rawBody,
      customerPresent: isCustomerPresent(ctx),
      consent: await usable?.(),
    };
    return once(ctx, route, contextOf(ctx, match, call));
  }

  /** Runs a request once per key of its provider, where the route needs one. */
  function once(ctx: Context, { entrance, handler }: Endpoint['route'], contextWith: ContextWith): Promise<Answer> {
    if (!entrance.idempotent) return handler(contextWith(undefined));
    const { tpp, path, method, body, headers } = contextWith(undefined);
    // `checkKey` has seen it.
    const key = headerOf(ctx, 'x-idempotency-key')!;
    const request = canonicalJson([method, path, headers.tenantid, body]);
    return idempotency.run({ clientId: tpp.id, path, key }, request, (seed) => handler(contextWith(seed)));
  }

  /** Validates everything that the route asks for, and reports all errors together. */
  function contextOf(ctx: Context, match: Match<Endpoint>, call: EntranceCall): ContextWith {
    const { route, validator } = match.value;
    const details: FieldError[] = [];
    check(validator.headers, ctx.headers, 'header', details);
    if (route.entrance.idempotent) checkKey(headerOf(ctx, 'x-idempotency-key'), details);
    const params = check(validator.params, match.params, 'path', details);
    const query = checkQuery(validator.query, parseQueryString(ctx.querystring), details);
    const sent = route.method === 'GET' ? undefined : bodyOf(ctx, route, call.rawBody);
    const body = route.method === 'GET' ? undefined : check(validator.body, sent, 'body', details, { params });
    refuseInvalid(details);
    return (seed) =>
      new RequestContext(
        ctx.state.requestId,
        ctx.method,
        match.path,
        sourceOf(ctx.req),
        ctx.headers,
        params,
        query,
        body,
        { clientId: call.tpp.id, role: 'tpp' },
        { tenantId: call.consent?.tenant_id },
        seed,
        undefined,
        call,
      );
  }

  async function dispatch(ctx: Context): Promise<void> {
    const match = endpoints.match(ctx.method, ctx.path);
    if (match) {
      const { route } = match.value;
      ctx.state.route = route;
      return respond(ctx, await serve(ctx, match), route.entrance);
    }
    return passToMount(rawMounts, ctx, sourceOf, (source) => admission.admit(ctx.req, source));
  }

  async function respond(ctx: Context, { status, body, headers }: Answer, entrance: Entrance): Promise<void> {
    ctx.status = status;
    if (headers) ctx.set(headers);
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    if (bytes) {
      ctx.type = 'application/json; charset=utf-8';
      if (entrance.signed) ctx.set('x-jws-signature', await signatures.signResponse(bytes));
      ctx.body = bytes;
      return;
    }
    ctx.body = null;
    // Koa turns an empty body into 204.
    ctx.status = status;
  }

  async function refuse(ctx: Context, thrown: unknown): Promise<void> {
    const error = toDomainError(thrown);
    const { requestId, interactionId } = ctx.state;
    const route = ctx.state.route as Endpoint['route'] | undefined;
    logRefusal(logger, error, thrown, { requestId, route: route?.path });
    if (ctx.respond === false || ctx.headerSent) return;
    const isObie = route?.entrance.errors === 'obie';
    const documented = { method: ctx.method, path: ctx.path, requestId, publicUrl: config.publicUrl };
    const { status, body } = isObie
      ? obieAnswerOf(error, interactionId)
      : { status: HTTP_STATUS[error.code], body: errorBody(error, documented) };
    setRefusal(ctx, error, status);
    if (status === 401) ctx.set('WWW-Authenticate', 'Bearer realm="tillway"');
    const bytes = Buffer.from(JSON.stringify(body));
    if (route?.entrance.signed && status < 500) ctx.set('x-jws-signature', await signatures.signResponse(bytes));
    ctx.body = bytes;
  }

  const koa = new Koa();
  koa.use(async (ctx) => {
    const startedAt = performance.now();
    const given = headerOf(ctx, 'x-fapi-interaction-id');
    const interactionId = given && INTERACTION_ID.test(given) ? given : randomUUID();
    const requestId = `${ID_PREFIXES.request}_${randomUUID()}`;
    Object.assign(ctx.state, { requestId, interactionId });
    ctx.set({ ...HEADERS, 'X-Request-Id': requestId, 'x-fapi-interaction-id': interactionId });
    try {
      await dispatch(ctx);
    } catch (error) {
      await refuse(ctx, error);
    }
    logger.info(
      {
        requestId,
        interactionId,
        method: ctx.method,
        path: ctx.state.loggedPath ?? maskDigits(ctx.path),
        status: ctx.respond === false ? ctx.res.statusCode : ctx.status,
        durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
        clientId: ctx.state.clientId,
      },
      'request at the entrance',
    );
  });
  koa.on('error', (error: Error) => logger.warn({ error: loggable(error) }, 'response not sent'));
  return koa;
}

function hasEntrance(route: Route): route is Endpoint['route'] {
  return route.entrance !== undefined;
}

function headerOf(ctx: Context, name: string): string | undefined {
  return ctx.headers[name] as string | undefined;
}

function isCustomerPresent(ctx: Context): boolean {
  return headerOf(ctx, 'x-fapi-customer-ip-address') !== undefined;
}

/** A call as the log of its consent names it: the resource is the last word of the route. */
function accessOf(ctx: Context, { value, params }: Match<Endpoint>, tppId: string, consentId: string): Access {
  const words = value.route.path.split('/').filter((part) => !part.startsWith('{'));
  const { AccountId } = params;
  return {
    tppId,
    consentId,
    resource: words.at(-1)!,
    accountId: AccountId && ACCOUNT_ID.test(AccountId) ? BigInt(AccountId) : undefined,
    isCustomerPresent: isCustomerPresent(ctx),
    interactionId: ctx.state.interactionId,
  };
}

function checkKey(key: string | undefined, details: FieldError[]): void {
  const field = 'x-idempotency-key';
  if (key === undefined) details.push({ field, message: 'is a required header', rule: 'header any.required' });
  else if (!IDEMPOTENCY_KEY.test(key))
    details.push({ field, message: 'must have 1 to 40 printable ASCII characters', rule: 'header string.pattern' });
}

function bodyOf(ctx: Context, route: Route, bytes: Buffer): unknown {
  if (bytes.length === 0) {
    if (route.body && !route.optionalBody && ctx.headers['content-type']) requireJson(ctx.req);
    return {};
  }
  requireJson(ctx.req);
  return parseJson(bytes, route.keepNulls);
}

/** Refuses a route of the entrance on the plain port. */
export function refuseOutsideEntrance(authUrl: string): never {
  throw new DomainError('unauthorized', `Third-party providers call this at ${authUrl}, by mutual TLS`);
}
