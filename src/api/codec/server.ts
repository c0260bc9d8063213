import type { Payload } from '@temporalio/common';
import type { Context } from 'koa';
import { DomainError, notFound } from '../../domain/errors';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Config } from '../../foundation/config/config';
import type { Database } from '../../foundation/db/database';
import { EncryptionCodec, workflowOf } from '../../foundation/temporal/data-converter';
import type { Principal } from '../../people/identity/principal';
import type { Tokens } from '../../people/identity/tokens';
import { readBody } from '../server/middleware/body';
import { MethodNotAllowed } from '../server/middleware/routing';
import type { RawMount } from '../server/route';
import { SessionCookie } from '../server/session-cookie';
import { CONTENT_SECURITY_POLICY, setUpPage, signInPage } from './page';
import { uiOfThisMachine } from './this-machine';

const PREFIX = '/codec';
const BODY_LIMIT = 8 * 1_048_576;
/** How many workflows a line of the audit log names. */
const NAMED = 20;
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
}

/**
 * The codec server of the Temporal UI. It decrypts payloads for operators, who are people and have shown a second factor,
 * and for nobody else. It encrypts nothing: operators act through the API. The UI calls it from the operator's browser,
 * which sends the session of the console along; scripts send the access token of an operator. Each reading asks whether
 * the session still lives, and has a line in the audit log. The engine's UI of a sandbox on loopback needs no session.
 */
export function codecServer({ config, database, tokens }: CodecDependencies): RawMount {
  const codec = new EncryptionCodec(config.keys.codec!);
  const sessionCookie = new SessionCookie(config.publicUrl);
  const uiOrigins = uiOriginsOf(config);
  const isUiOfThisMachine = uiOfThisMachine(config, uiOrigins);

  async function readerOf(ctx: Context): Promise<{ actor: string; sessionId?: string }> {
    const { authorization, origin = '' } = ctx.headers;
    if (authorization) return operator(await tokens.authenticate(authorization));
    if (isUiOfThisMachine(ctx.req)) return { actor: UI_OF_SANDBOX };
    const cookie = sessionCookie.read(ctx);
    // The cookie counts for the UI alone: a page of another site is not to read with it.
    if (cookie && uiOrigins.includes(origin)) return operator(await tokens.authenticateCookie(cookie));
    throw new DomainError('unauthorized', `Sign in at ${config.publicUrl}/console`);
  }

  async function decode(ctx: Context): Promise<void> {
    const { actor, sessionId } = await readerOf(ctx);
    const sealed = await readPayloads(ctx);
    const decoded = revealed(codec, sealed);
    const workflows = [...new Set(sealed.flatMap((payload) => workflowOf(payload) ?? []))].slice(0, NAMED);
    await appendAuditLine(database.system, {
      actor,
      action: 'codec.decode',
      source: ctx.state.source,
      result: 'revealed',
      detail: { payloads: decoded.length, workflows, ...(sessionId && { sessionId }) },
    });
    ctx.body = { payloads: decoded.map(toWire) };
  }

  /** What to set in the UI, for an operator who is signed in; else where to sign in. */
  async function showPage(ctx: Context): Promise<void> {
    const cookie = sessionCookie.read(ctx);
    const principal = cookie ? await tokens.authenticateCookie(cookie).catch(() => undefined) : undefined;
    const isOperator = principal?.role === 'ops';
    ctx.status = 200;
    ctx.type = 'html';
    ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    ctx.body = isOperator ? setUpPage(`${config.publicUrl}${PREFIX}`, uiOrigins[0]!) : signInPage(config.publicUrl);
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
      if (action === '' || action === '/') return showPage(ctx);
      if (action !== '/decode') throw notFound('Path');
      if (ctx.method !== 'POST') throw new MethodNotAllowed(['POST']);
      return decode(ctx);
    },
  };
}

/** The places of the UI, that of TEMPORAL_UI_URL first. */
function uiOriginsOf({ host, ports, temporal }: Config): string[] {
  const own = temporal.uiUrl ? [new URL(temporal.uiUrl).origin] : [];
  const embedded = [`http://${host}:${ports.temporalUi}`, `http://localhost:${ports.temporalUi}`];
  return [...new Set([...own, ...embedded])];
}

/** A program has no second factor, so its token reads nothing. Who must still add one is refused before. */
function operator({ role, userId, sessionId }: Principal): { actor: string; sessionId?: string } {
  if (role !== 'ops') throw new DomainError('forbidden', 'Only operators may read payloads');
  if (!userId) throw new DomainError('forbidden', 'Only people may read payloads: sign in with a second factor');
  return { actor: userId, sessionId };
}

async function readPayloads(ctx: Context): Promise<Payload[]> {
  const bytes = await readBody(ctx.req, BODY_LIMIT);
  try {
    return ((JSON.parse(bytes.toString()) as { payloads?: WirePayload[] }).payloads ?? []).map(fromWire);
  } catch {
    throw new DomainError('invalid_request', 'The body must be {"payloads": […]}');
  }
}

function revealed(codec: EncryptionCodec, sealed: Payload[]): Payload[] {
  try {
    return codec.reveal(sealed);
  } catch {
    throw new DomainError('invalid_request', 'These payloads cannot be decrypted');
  }
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
