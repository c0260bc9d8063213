import type { Context } from 'koa';
import type { Logger } from 'pino';
import type { Connectors, RawCallback } from '../../domain/connector';
import { DomainError, notFound } from '../../domain/errors';
import type { Delivery } from '../../edge/callbacks/delivery';
import { HINT_BYTES, type Hints } from '../../edge/callbacks/hints';
import type { Inbox } from '../../edge/callbacks/inbox';
import type { SecurityEvents } from '../../foundation/audit-log/security-events';
import type { Database } from '../../foundation/db/database';
import { networkOf } from '../../people/identity/source-network';
import { readBody } from '../server/middleware/body';
import { RateLimit } from '../server/middleware/rate-limit';
import { MethodNotAllowed } from '../server/middleware/routing';
import type { RawMount } from '../server/route';

const PREFIX = '/callbacks';
/** Callbacks that each test receiver keeps, for a day. */
const TESTS_KEPT = 100;

export interface ReceiverDependencies {
  database: Database;
  connectors: Connectors;
  inbox: Inbox;
  delivery: Delivery;
  hints: Hints;
  securityEvents: SecurityEvents;
  bodyLimitBytes: number;
  /** Unsigned callbacks that one process takes from one source in a second. */
  hintsPerSecond: number;
  /** Whether there are receivers with which an engineer of a processor tries the connection. */
  withTests: boolean;
  log: Logger;
}

/**
 * The callback receivers. A receiver checks the signature over the raw bytes before it looks at the content type or parses
 * anything. It stores the callback, answers 200, and only then tells the flow. While the database is away, it asks the
 * processor to send the callback again.
 */
export function callbackReceivers(deps: ReceiverDependencies): RawMount {
  const unsigned = new RateLimit(deps.hintsPerSecond);

  async function receive(ctx: Context, name: string): Promise<void> {
    const found = deps.connectors.receiver(name);
    if (!found) throw notFound('Path');
    const { processor, receiver, key } = found;
    if (ctx.method !== receiver.method) throw new MethodNotAllowed([receiver.method]);
    const limit = receiver.unsigned ? HINT_BYTES : deps.bodyLimitBytes;
    if (receiver.unsigned) unsigned.take(networkOf(ctx.state.source));
    const raw: RawCallback = {
      method: receiver.method,
      path: ctx.path,
      query: ctx.querystring,
      headers: ctx.headers as RawCallback['headers'],
      body: receiver.method === 'GET' ? Buffer.alloc(0) : await readBody(ctx.req, limit),
    };
    if (!receiver.verify(raw, key)) {
      await deps.securityEvents.note('callback_signature', ctx.state.source, { receiver: name });
      throw new DomainError('invalid_signature', 'The signature of this callback is missing or wrong');
    }
    const event = receiver.parse(raw);
    ctx.status = 200;
    if (receiver.unsigned) {
      const hint = await deps.hints.store(processor, name, event, raw);
      ctx.body = { received: true, duplicate: hint === undefined };
      return;
    }
    const stored = await deps.inbox.store(processor, name, event, raw);
    ctx.body = { received: true, duplicate: stored === undefined };
    // After the answer.
    if (stored) setImmediate(() => deps.delivery.soon(stored));
  }

  /**
   * Unsigned receivers: an engineer of a processor tries the connection with them. They change nothing, take little, and
   * keep the last few.
   */
  async function receiveTest(ctx: Context, form: string): Promise<void> {
    const method = form === 'text' ? 'GET' : 'POST';
    if (ctx.method !== method) throw new MethodNotAllowed([method]);
    unsigned.take(networkOf(ctx.state.source));
    const text = form === 'text' ? ctx.querystring : (await readBody(ctx.req, HINT_BYTES)).toString();
    const content = form === 'json' ? parseTestJson(text) : Object.fromEntries(new URLSearchParams(text));
    const { system } = deps.database;
    await system('test_callbacks').insert({ receiver: form, content: storable(content) });
    await system.raw(
      `DELETE FROM test_callbacks WHERE receiver = :form AND (received_at < now() - interval '1 day' OR id <=
         (SELECT id FROM test_callbacks WHERE receiver = :form ORDER BY id DESC OFFSET :kept LIMIT 1))`,
      { form, kept: TESTS_KEPT },
    );
    ctx.status = 200;
    if (form === 'text') {
      ctx.type = 'text/plain';
      ctx.body = 'OK';
    } else ctx.body = { received: true, duplicate: false };
  }

  return {
    prefix: PREFIX,
    limitsItself: true,
    middleware: async (ctx) => {
      const name = ctx.path.slice(PREFIX.length + 1);
      const test = deps.withTests && /^test\/(json|form|text)$/.exec(name);
      return test ? receiveTest(ctx, test[1]!) : receive(ctx, name);
    },
  };
}

/** The callback as JSON, without the characters that Postgres cannot store. */
function storable(content: unknown): string {
  try {
    // An escape begins after an even number of backslashes.
    return JSON.stringify(content).replaceAll(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g, '$1');
  } catch {
    throw new DomainError('malformed_callback', 'The body is nested too deeply');
  }
}

function parseTestJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new DomainError('malformed_callback', 'The body is not JSON');
  }
}
