import Router from '@koa/router';
import { readJson } from '../../body';
import type { Charge } from '../../books';
import { authenticate, keyOf, Operations, parameter } from '../../operations';
import type { Desk, Personality } from '../../personality';
import { Refusal } from '../../refusal';
import { linesOf, listBatches, shareOf } from '../../settlement';
import { makeKey, renderCallback } from './callback';
import { scanRouter } from './scan';
import { presentOrder, presentPayout, presentRefund, problem, readMinor, readOrder, textOf } from './wire';

const FEE_THOUSANDTHS = 9n;

/** Processor F: alternative methods, UPI, codes to scan. */
export const processorF: Personality = {
  processor: 'f',
  name: 'Processor F',
  feeOf: (amountMinor) => shareOf(amountMinor, FEE_THOUSANDTHS),
  makeSecret: makeKey,
  refuse: (refusal) => problem(refusal),
  render: renderCallback,
  router: routerOf,
};

function routerOf(desk: Desk): Router {
  const router = new Router({ prefix: '/f' });
  const scanning = scanRouter(desk);
  const api = apiRouter(desk);
  router.use(scanning.routes(), scanning.allowedMethods());
  router.use(api.routes(), api.allowedMethods());
  return router;
}

function apiRouter(desk: Desk): Router {
  const router = new Router({ prefix: '/v2' });
  const expected = `Basic ${Buffer.from(`tillway:${desk.apiKey}`).toString('base64')}`;
  router.use((ctx, next) => {
    authenticate(ctx.get('authorization'), expected);
    return next();
  });
  const shown = (charge: Charge) => ({
    order: presentOrder(charge, charge.challenge ? desk.challengeUrl(charge.challenge.id) : ''),
  });
  const operations = new Operations('f', desk, {
    payment: (charge) => ({ status: 200, body: shown(charge) }),
    refund: (refund) => ({ status: 200, body: { refund: presentRefund(refund) } }),
    conflict: (refusal, stands) =>
      problem(refusal, 'payment' in stands ? shown(stands.payment) : { refund: presentRefund(stands.refund) }),
  });

  router.post('/orders', async (ctx) => operations.authorize(ctx, readOrder(await readJson(ctx), keyOf(ctx))));
  router.get('/orders/:reference', (ctx) => operations.inquire(ctx, parameter(ctx, 'reference')));
  router.post('/orders/:reference/withdrawal', async (ctx) => {
    await readJson(ctx);
    await operations.cancel(ctx, parameter(ctx, 'reference'), keyOf(ctx));
  });
  router.post('/orders/:reference/refunds', async (ctx) => {
    const fields = await readJson(ctx);
    const order = { reference: textOf(fields, 'merchantReference'), ...readMinor(fields, 'amount') };
    await operations.refund(ctx, parameter(ctx, 'reference'), keyOf(ctx), order);
  });
  router.get('/refunds/:reference', (ctx) => operations.inquireRefund(ctx, parameter(ctx, 'reference')));
  router.get('/payouts', (ctx) => {
    const { closedFrom: since, after } = ctx.query;
    const { batches, hasMore } = listBatches(desk.books, 'f', { since, after });
    ctx.body = { payoutIds: batches.map(({ id }) => id), more: hasMore };
  });
  router.get('/payouts/:payoutId', (ctx) => {
    const batch = desk.books.get('batch', parameter(ctx, 'payoutId'));
    if (batch?.processor !== 'f') throw new Refusal('not_found', 'There is no such payout.');
    ctx.body = presentPayout(batch, linesOf(desk.books, batch));
  });
  return router;
}
