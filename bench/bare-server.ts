import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import knexFactory from 'knex';
import Koa from 'koa';

/** What callbacks to it are signed with. */
export const BARE_SECRET = 'bare';

/**
 * Koa and Knex and nothing else: one row read, one row inserted when its signature is right (HMAC-SHA-256 over the raw body,
 * as processor A signs); and a page, which is the one that was put there.
 */
async function main(): Promise<void> {
  const knex = knexFactory({ client: 'pg', connection: process.argv[2]!, pool: { min: 2, max: 16 } });
  const app = new Koa();
  let page = '';
  app.use(async (ctx) => {
    if (ctx.path === '/page' && ctx.method === 'GET') {
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = page;
      return;
    }
    if (ctx.method === 'GET') {
      ctx.body = {
        data: await knex('bench_payments')
          .where({ id: ctx.path.slice(1) })
          .first(),
      };
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of ctx.req) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks);
    if (ctx.path === '/page') page = raw.toString();
    else {
      const given = Buffer.from(ctx.get('x-signature'), 'hex');
      const expected = createHmac('sha256', BARE_SECRET).update(raw).digest();
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) ctx.throw(401);
      await knex('bench_inbox').insert({ id: `${process.hrtime.bigint()}`, raw });
    }
    ctx.body = { received: true };
  });
  const server = app.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
  process.once('disconnect', () => process.exit(0));
  process.on('message', async () => {
    server.close();
    server.closeAllConnections();
    await knex.destroy();
    process.exit(0);
  });
}

if (require.main === module)
  main().catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
