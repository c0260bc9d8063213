import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { DomainError } from '../../domain/errors';
import { OWN_CONSENTS_PATH } from '../../open-banking/consents/consent';
import { thumbprintOf } from '../../open-banking/tpps/registry';
import { TPP_SCOPES, type TppRow } from '../../open-banking/tpps/tpp';
import { shownCertificate } from '../server/entrance/peer';
import { readBody } from '../server/middleware/body';
import { RateLimit } from '../server/middleware/rate-limit';
import type { RawMount } from '../server/route';
import { OwnConsentPages, type OwnConsentsDependencies } from './own-consents';
import { type ConsentPageDependencies, ConsentPages } from './pages';
import { type AuthorizationDependencies, INTERACTION_PATH, openProvider, type Shown } from './provider';
import { noteRefusals, REFUSED, refusedLine } from './refusals';

/** Who asks without the certificate of a provider, such as a browser, is counted by its address. */
const REQUESTS_PER_SECOND = 50;
const BODY_LIMIT = 64 * 1024;
/** What needs a client certificate. A customer's browser, which calls the rest, has none. */
const BY_CERTIFICATE = ['/token', '/par'];
const PATHS = [
  '/authorize',
  '/par',
  '/token',
  '/jwks',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
];
/** Where answers' signatures are verified: the same keys as those of id tokens. */
const SIGNATURE_KEYS = '/open-banking/2.0.0/.well-known/jwks.json';

export interface AuthorizationServerDependencies
  extends AuthorizationDependencies,
    Omit<ConsentPageDependencies, 'provider' | 'authUrl'>,
    Omit<OwnConsentsDependencies, 'hmacKey' | 'authUrl'> {
  consents: AuthorizationDependencies['consents'] &
    ConsentPageDependencies['consents'] &
    OwnConsentsDependencies['consents'];
}

/** The authorization server's own addresses at the entrance. */
export async function authorizationServer(deps: AuthorizationServerDependencies): Promise<RawMount[]> {
  const { registry, keys } = deps;
  const shown: Shown = new WeakMap();
  const provider = await openProvider(deps, shown);
  const sources: WeakMap<IncomingMessage, string> = new WeakMap();
  noteRefusals(provider, deps.database, sources);
  const handle = provider.callback() as (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  const rateLimit = new RateLimit(REQUESTS_PER_SECOND);
  const rateLimitOfTpps = new RateLimit(deps.config.api.rateLimitPerSecond);

  async function byCertificate(ctx: Context): Promise<void> {
    if (ctx.method !== 'POST') throw new DomainError('method_not_allowed', 'Use POST on this path');
    const certificate = shownCertificate(ctx.req);
    const tpp = certificate && (await registry.byCertificate(certificate));
    if (!tpp) {
      rateLimit.take(ctx.state.source);
      if (certificate) {
        const detail = { thumbprint: thumbprintOf(certificate.certificate) };
        await refusedLine(
          deps.database,
          { actor: 'unknown certificate', action: 'tpp.sign_in', detail },
          ctx.state.source,
        );
      }
      return answer(ctx, 401, 'invalid_client', 'the client certificate is missing, unknown or not valid');
    }
    ctx.state.clientId = tpp.id;
    rateLimitOfTpps.take(tpp.id);
    shown.set(ctx.req, tpp);
    if (!ctx.is('application/x-www-form-urlencoded'))
      return answer(ctx, 400, 'invalid_request', 'only application/x-www-form-urlencoded bodies are supported');
    const sent = new URLSearchParams((await readBody(ctx.req, BODY_LIMIT)).toString());
    const problem = problemOf(ctx.path, sent, tpp);
    if (problem) {
      const [error, reason] = problem;
      const line = { actor: tpp.id, action: REFUSED[ctx.path]!, target: tpp.id, detail: { error, reason } };
      await refusedLine(deps.database, line, ctx.state.source);
      return answer(ctx, 400, error, reason);
    }
    if (!sent.has('client_id')) sent.set('client_id', tpp.id);
    const names = [...new Set(sent.keys())];
    const body = Object.fromEntries(names.map((name) => [name, sent.getAll(name)]));
    Object.assign(ctx.req, {
      body: Object.fromEntries(
        Object.entries(body).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
      ),
    });
    return pass(ctx);
  }

  async function pass(ctx: Context): Promise<void> {
    ctx.respond = false;
    sources.set(ctx.req, ctx.state.source);
    await handle(ctx.req, ctx.res);
  }

  const serve = async (ctx: Context): Promise<void> => {
    if (BY_CERTIFICATE.includes(ctx.path)) return byCertificate(ctx);
    rateLimit.take(ctx.state.source);
    return pass(ctx);
  };
  const { authUrl, keys: secrets } = deps.config;
  const pages = new ConsentPages({ ...deps, provider, authUrl });
  const ownPages = new OwnConsentPages({ ...deps, hmacKey: secrets.vaultHmac!, authUrl });
  return [
    { prefix: INTERACTION_PATH, middleware: pages.serve as never },
    { prefix: OWN_CONSENTS_PATH, middleware: ownPages.serve as never },
    ...PATHS.map((prefix) => ({ prefix, middleware: serve as never })),
    {
      prefix: SIGNATURE_KEYS,
      middleware: (async (ctx: Context) => {
        ctx.set('Cache-Control', 'public, max-age=300');
        ctx.body = await keys.public();
      }) as never,
    },
  ];
}

/** The library drops an unknown scope. To us it is an error: the client would only see later what its token lacks. */
function problemOf(path: string, sent: URLSearchParams, tpp: TppRow): [error: string, description: string] | undefined {
  const clientId = sent.get('client_id');
  if (clientId !== null && clientId !== tpp.id) return ['invalid_client', 'client_id is not that of the certificate'];
  if (path !== '/token' || sent.get('grant_type') !== 'client_credentials') return undefined;
  const scopes = (sent.get('scope') ?? '').split(' ').filter(Boolean);
  const known: readonly string[] = TPP_SCOPES;
  if (scopes.length === 0 || !scopes.every((scope) => known.includes(scope)))
    return ['invalid_scope', `scope must be one or more of ${TPP_SCOPES.join(', ')}`];
  return undefined;
}

function answer(ctx: Context, status: number, error: string, description: string): void {
  ctx.status = error === 'invalid_client' ? 401 : status;
  ctx.body = { error, error_description: description };
}
