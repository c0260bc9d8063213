import { timingSafeEqual } from 'node:crypto';
import Router from '@koa/router';
import type { Context } from 'koa';
import type { Money } from '../../domain/money';
import type { Order } from './acquirer';
import type { Reply } from './calls';
import { Operations, type Presentation, replyWith } from './operations';
import type { Desk, Personality } from './personality';
import type { Batch, Line } from './records';
import { Refusal } from './refusal';
import { type Fields, keyOf as headerKeyOf, readJson, textOf } from './request';
import { linesOf, listBatches } from './settlement';

/** How a processor reads and writes what its API says: what its `wire.ts` exports. JSON, unless it says otherwise. */
interface Wire<Request extends Fields, Shown> extends Presentation<Shown> {
  read?(ctx: Context): Promise<Request>;
  /** The key that tells a repeat from another request; default: a header. */
  keyOf?(ctx: Context, request: Request): string;
  readOrder(request: Request, ctx: Context): Order;
  readAmount(request: Request): Money;
  presentBatches(page: { batches: Batch[]; hasMore: boolean }): Shown;
  presentBatch(batch: Batch, lines: readonly Line[]): Shown;
  /** Of a text, in characters. */
  LONGEST_TEXT?: number;
}

/** A processor whose operations each have a path, which names the payment or refund. */
interface Layout<Request extends Fields, Shown> extends Omit<Personality, 'router' | 'refuse'> {
  wire: Wire<Request, Shown>;
  /** What all its paths start with, such as `/a/v1`. */
  prefix: string;
  /** The header that callers prove themselves with, and what it has to hold. */
  credential(apiKey: string): [header: string, expected: string];
  paths: Paths;
  /** The field that holds the reference of a new refund. */
  refundReference: string;
  /** What it calls a batch where it has none of that name; default: batch. */
  batchNoun?: string;
  /** The parameters of the list of batches; default: `since` and `after`. */
  batchQuery?: { since: string; after: string };
  /** What it serves besides. */
  more?(router: Router, desk: Desk): void;
}

/** The parameter is `:reference` everywhere. */
interface Paths {
  order: string;
  inquiry: string;
  capture?: string;
  cancel: string;
  refund: string;
  refundInquiry: string;
  batches: string;
  batch: string;
}

/** A processor with an API as `layout` says. */
export function apiPersonality<Request extends Fields, Shown>(layout: Layout<Request, Shown>): Personality {
  return { ...layout, refuse: (refusal) => layout.wire.refuse(refusal), router: (desk) => routerOf(desk, layout) };
}

function routerOf<Request extends Fields, Shown>(desk: Desk, layout: Layout<Request, Shown>): Router {
  const { paths, wire, batchQuery = { since: 'since', after: 'after' } } = layout;
  const { read = readJson as (ctx: Context) => Promise<Request>, keyOf = headerKeyOf } = wire;
  const operations = new Operations(desk, wire);
  const router = new Router({ prefix: layout.prefix });
  const [header, expected] = layout.credential(desk.apiKey);
  router.use((ctx, next) => {
    authenticate(ctx.get(header), expected);
    return next();
  });

  router.post(paths.order, async (ctx) => operations.authorize(ctx, wire.readOrder(await read(ctx), ctx)));
  router.get(paths.inquiry, (ctx) => operations.inquire(ctx, referenceIn(ctx)));
  if (paths.capture)
    router.post(paths.capture, async (ctx) => {
      const request = await read(ctx);
      await operations.capture(ctx, referenceIn(ctx), keyOf(ctx, request), wire.readAmount(request));
    });
  router.post(paths.cancel, async (ctx) => {
    await operations.cancel(ctx, referenceIn(ctx), keyOf(ctx, await read(ctx)));
  });
  router.post(paths.refund, async (ctx) => {
    const request = await read(ctx);
    const reference = textOf(request, layout.refundReference, wire.LONGEST_TEXT);
    const order = { reference, ...wire.readAmount(request) };
    await operations.refund(ctx, referenceIn(ctx), keyOf(ctx, request), order);
  });
  router.get(paths.refundInquiry, (ctx) => operations.inquireRefund(ctx, referenceIn(ctx)));
  router.get(paths.batches, (ctx) => {
    const page = listBatches(desk, { since: ctx.query[batchQuery.since], after: ctx.query[batchQuery.after] });
    send(ctx, replyWith(wire, wire.presentBatches(page)));
  });
  router.get(paths.batch, (ctx) => {
    const { batch, lines } = findBatch(desk, referenceIn(ctx), layout.batchNoun);
    send(ctx, replyWith(wire, wire.presentBatch(batch, lines)));
  });
  layout.more?.(router, desk);
  return router;
}

/** A batch of the processor, and what its report says. Throws Refusal `not_found`, which calls it by `noun`. */
export function findBatch(
  { books, processor }: Pick<Desk, 'books' | 'processor'>,
  id: string,
  noun = 'batch',
): { batch: Batch; lines: Line[] } {
  const batch = books.get('batch', id);
  if (batch?.processor !== processor) throw new Refusal('not_found', `There is no such ${noun}.`);
  return { batch, lines: linesOf(books, batch) };
}

/** The `Authorization` header of HTTP Basic (RFC 7617). */
export function basic(apiKey: string): [header: string, expected: string] {
  return ['authorization', `Basic ${Buffer.from(`tillway:${apiKey}`).toString('base64')}`];
}

/** The `Authorization` header of a bearer token (RFC 6750). */
export function bearer(apiKey: string): [header: string, expected: string] {
  return ['authorization', `Bearer ${apiKey}`];
}

/** Turns away who does not have the key. Constant time. Throws Refusal `unauthorized`. */
export function authenticate(given: string, expected: string): void {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  if (one.length !== other.length || !timingSafeEqual(one, other))
    throw new Refusal('unauthorized', 'The API key is missing or wrong.');
}

/** The parameter `reference` of the path. */
export function referenceIn(ctx: Context): string {
  return (ctx as unknown as { params: Record<string, string> }).params.reference ?? '';
}

/** An answer outside the operations: neither idempotent nor hit by faults. */
export function send(ctx: Context, { status, body, contentType }: Reply): void {
  ctx.status = status;
  if (contentType) ctx.set('Content-Type', contentType);
  ctx.body = body;
}
