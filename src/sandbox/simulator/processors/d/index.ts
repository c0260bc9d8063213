import Router from '@koa/router';
import { readJson } from '../../body';
import { authenticate, keyOf, Operations, parameter } from '../../operations';
import type { Desk, Personality } from '../../personality';
import { Refusal } from '../../refusal';
import { linesOf, listBatches, shareOf } from '../../settlement';
import { makeKey, renderCallback } from './callback';
import {
  presentRefund,
  presentStatement,
  presentStatements,
  presentTransaction,
  readOrder,
  readPrice,
  refused,
  textOf,
} from './wire';

const FEE_THOUSANDTHS = 22n;

/** Processor D: a hosted page in Israel. */
export const processorD: Personality = {
  processor: 'd',
  name: 'Processor D',
  feeOf: (amountMinor) => shareOf(amountMinor, FEE_THOUSANDTHS),
  makeSecret: makeKey,
  refuse: (refusal) => refused(refusal),
  render: renderCallback,
  router: routerOf,
};

function routerOf(desk: Desk): Router {
  const router = new Router({ prefix: '/d/api' });
  router.use((ctx, next) => {
    authenticate(ctx.get('x-api-key'), desk.apiKey);
    return next();
  });
  const operations = new Operations('d', desk, {
    payment: (charge) => ({ status: 200, body: presentTransaction(charge, desk.challengeUrl) }),
    refund: (refund) => ({ status: 200, body: presentRefund(refund) }),
    conflict: (refusal, stands) =>
      refused(
        refusal,
        'payment' in stands ? presentTransaction(stands.payment, desk.challengeUrl) : presentRefund(stands.refund),
      ),
  });

  router.post('/pages', async (ctx) => operations.authorize(ctx, readOrder(await readJson(ctx), keyOf(ctx))));
  router.get('/transactions/:order', (ctx) => operations.inquire(ctx, parameter(ctx, 'order')));
  router.post('/transactions/:order/charge', async (ctx) => {
    const amount = readPrice(await readJson(ctx));
    await operations.capture(ctx, parameter(ctx, 'order'), keyOf(ctx), amount);
  });
  router.post('/transactions/:order/release', async (ctx) => {
    await readJson(ctx);
    await operations.cancel(ctx, parameter(ctx, 'order'), keyOf(ctx));
  });
  router.post('/transactions/:order/refunds', async (ctx) => {
    const fields = await readJson(ctx);
    const order = { reference: textOf(fields, 'refund'), ...readPrice(fields) };
    await operations.refund(ctx, parameter(ctx, 'order'), keyOf(ctx), order);
  });
  router.get('/refunds/:refund', (ctx) => operations.inquireRefund(ctx, parameter(ctx, 'refund')));
  router.get('/statements', (ctx) => {
    ctx.body = presentStatements(listBatches(desk.books, 'd', ctx.query));
  });
  router.get('/statements/:statement', (ctx) => {
    const batch = desk.books.get('batch', parameter(ctx, 'statement'));
    if (batch?.processor !== 'd') throw new Refusal('not_found', 'There is no such statement.');
    ctx.body = presentStatement(batch, linesOf(desk.books, batch));
  });
  return router;
}
