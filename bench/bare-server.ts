import type { AddressInfo } from 'node:net';
import knexFactory from 'knex';
import Koa from 'koa';

/** Koa and Knex and nothing else: one row read, one row inserted. */
async function main(): Promise<void> {
  const knex = knexFactory({ client: 'pg', connection: process.argv[2]!, pool: { min: 2, max: 16 } });
  const app = new Koa();
  app.use(async (ctx) => {
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
    await knex('bench_inbox').insert({ id: `${process.hrtime.bigint()}`, raw: Buffer.concat(chunks) });
    ctx.body = { received: true };
  });
  const server = app.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
  process.on('message', async () => {
    server.close();
    server.closeAllConnections();
    await knex.destroy();
    process.exit(0);
  });
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
