import { timingSafeEqual } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import type { Context } from 'koa';
import { DomainError, notFound } from '../../domain/errors';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Config } from '../../foundation/config/config';
import type { Database } from '../../foundation/db/database';
import { EncryptionCodec } from '../../foundation/temporal/data-converter';
import { Mac } from '../../foundation/vault/keyring';
import { findClient, isSecretOf } from '../../people/identity/clients';
import type { SignInThrottle } from '../../people/identity/sign-in-throttle';
import type { Tokens } from '../../people/identity/tokens';
import { readBody } from '../server/middleware/body';
import { MethodNotAllowed } from '../server/middleware/routing';
import type { RawMount } from '../server/route';
import { CONTENT_SECURITY_POLICY, signedInPage, signInPage } from './page';
import { uiOfThisMachine } from './this-machine';

const PREFIX = '/codec';
const SIGN_IN = `${PREFIX}/sign-in`;
const COOKIE = 'tillway_codec';
const SESSION_MS = 8 * 3_600_000;
const BODY_LIMIT = 8 * 1_048_576;
/** The name in the audit log of a reader who has not signed in. */
const UI_OF_SANDBOX = 'engine UI of the sandbox';

/** A payload as the engine's UI sends it: protobuf JSON, bytes in base64. */
interface WirePayload {
  metadata?: Record<string, string>;
  data?: string;
}

export interface CodecDependencies {
  config: Config;
  database: Database;
  tokens: Tokens;
  throttle: SignInThrottle;
}

/**
 * The codec server of the Temporal UI. It decrypts payloads for a signed-in operator and for nobody else, and encrypts
 * what the operator sends into a workflow. The UI calls it from the operator's browser, so the page at /codec sets a
 * cookie; scripts send an ops access token. The engine's UI of a sandbox on loopback needs neither. The audit log has a
 * line for each decryption.
 */
export function codecServer({ config, database, tokens, throttle }: CodecDependencies): RawMount {
  const codec = new EncryptionCodec(config.keys.codec!);
  const sessions = new Mac(config.keys.vaultHmac!, 'codec-session');
  const uiOrigins = [`http://${config.host}:${config.ports.temporalUi}`, `http://localhost:${config.ports.temporalUi}`];

  const isUiOfThisMachine = uiOfThisMachine(config, uiOrigins);

  function openSession(clientId: string): string {
    const content = `${clientId}.${Date.now() + SESSION_MS}`;
    return `${content}.${sessions.of(content).toString('base64url')}`;
  }

  function sessionOf(cookie: string | undefined): string | undefined {
    const [clientId, until, mac] = (cookie ?? '').split('.');
    if (!clientId || !until || !mac || Number(until) < Date.now()) return undefined;
    const expected = sessions.of(`${clientId}.${until}`);
    const given = Buffer.from(mac, 'base64url');
    return given.length === expected.length && timingSafeEqual(given, expected) ? clientId : undefined;
  }

  async function operatorOf(ctx: Context): Promise<string> {
    if (ctx.headers.authorization) {
      const principal = await tokens.authenticate(ctx.headers.authorization);
      if (principal.role !== 'ops') throw new DomainError('forbidden', 'Only the role ops may read payloads');
      return principal.clientId;
    }
    const clientId = sessionOf(ctx.cookies.get(COOKIE));
    if (!clientId && isUiOfThisMachine(ctx.req)) return UI_OF_SANDBOX;
    if (!clientId) throw new DomainError('unauthorized', `Sign in at ${config.publicUrl}${PREFIX}`);
    return clientId;
  }

  async function readPayloads(ctx: Context): Promise<Payload[]> {
    const bytes = await readBody(ctx.req, BODY_LIMIT);
    try {
      return ((JSON.parse(bytes.toString()) as { payloads?: WirePayload[] }).payloads ?? []).map(fromWire);
    } catch {
      throw new DomainError('invalid_request', 'The body must be {"payloads": […]}');
    }
  }

  async function decode(ctx: Context): Promise<void> {
    const operator = await operatorOf(ctx);
    const sealed = await readPayloads(ctx);
    const decoded = await codec.decode(sealed).catch(() => {
      throw new DomainError('invalid_request', 'These payloads cannot be decrypted');
    });
    await appendAuditLine(database.system, {
      actor: operator,
      action: 'codec.decode',
      source: ctx.state.source,
      result: 'revealed',
      detail: { payloads: decoded.length },
    });
    ctx.body = { payloads: decoded.map(toWire) };
  }

  async function encode(ctx: Context): Promise<void> {
    await operatorOf(ctx);
    ctx.body = { payloads: (await codec.encode(await readPayloads(ctx))).map(toWire) };
  }

  async function signIn(ctx: Context): Promise<void> {
    const form = new URLSearchParams((await readBody(ctx.req, 10_000)).toString());
    // The database cannot store NUL, so no client id contains it.
    const clientId = (form.get('clientId') ?? '').replaceAll('\0', '');
    const seconds = await throttle.wait(clientId, ctx.state.source);
    if (seconds > 0)
      throw new DomainError('rate_limited', 'Too many wrong attempts. Wait, then try again', {
        retryAfterSeconds: seconds,
      });
    const client = await findClient(database.system, clientId);
    const right = isSecretOf(client, form.get('clientSecret') ?? '');
    if (!client || !right || client.role !== 'ops') {
      await throttle.countWrong(clientId, ctx.state.source);
      return show(
        ctx,
        401,
        signInPage(SIGN_IN, 'The client id or the secret is wrong, or the client is not an operator.'),
      );
    }
    ctx.cookies.set(COOKIE, openSession(client.id), {
      httpOnly: true,
      sameSite: 'strict',
      secure: !config.sandbox,
      path: PREFIX,
      maxAge: SESSION_MS,
    });
    show(ctx, 200, signedInPage(`${config.publicUrl}${PREFIX}`, uiOrigins[0]!));
  }

  function show(ctx: Context, status: number, html: string): void {
    ctx.status = status;
    ctx.type = 'html';
    ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    ctx.body = html;
  }

  function allowUi(ctx: Context): void {
    const { origin } = ctx.headers;
    if (!origin || !uiOrigins.includes(origin)) return;
    ctx.set('Access-Control-Allow-Origin', origin);
    ctx.set('Access-Control-Allow-Credentials', 'true');
    ctx.set('Access-Control-Allow-Methods', 'POST, OPTIONS');
    ctx.set('Access-Control-Allow-Headers', 'authorization, content-type, x-namespace');
    ctx.set('Vary', 'Origin');
  }

  return {
    prefix: PREFIX,
    middleware: async (ctx) => {
      allowUi(ctx);
      const action = ctx.path.slice(PREFIX.length);
      if (ctx.method === 'OPTIONS') {
        ctx.status = 204;
        return;
      }
      if (action === '' || action === '/') return show(ctx, 200, signInPage(SIGN_IN));
      const serve = { '/decode': decode, '/encode': encode, '/sign-in': signIn }[action];
      if (!serve) throw notFound('Path');
      if (ctx.method !== 'POST') throw new MethodNotAllowed(['POST']);
      return serve(ctx);
    },
  };
}

function fromWire({ metadata = {}, data = '' }: WirePayload): Payload {
  const bytes = Object.entries(metadata).map(([key, value]) => [key, Buffer.from(value, 'base64')]);
  return { metadata: Object.fromEntries(bytes), data: Buffer.from(data, 'base64') };
}

function toWire(payload: Payload): WirePayload {
  const text = Object.entries(payload.metadata ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value).toString('base64'),
  ]);
  return { metadata: Object.fromEntries(text), data: Buffer.from(payload.data ?? []).toString('base64') };
}
