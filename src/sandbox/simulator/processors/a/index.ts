import Router from '@koa/router';
import { readJson } from '../../body';
import { authenticate, keyOf, Operations, parameter } from '../../operations';
import type { Desk, Personality } from '../../personality';
import { Refusal } from '../../refusal';
import { linesOf, listBatches, shareOf } from '../../settlement';
import { renderCallback } from './callback';
import { presentCardChange, renderCardChange } from './card-changes';
import { addDisputeRoutes } from './disputes';
import {
  presentBatch,
  presentBatches,
  presentCharge,
  presentRefund,
  readAmount,
  readOrder,
  refusalReply,
  textOf,
} from './wire';

const FEE_THOUSANDTHS = 15n;

/** Processor A: cards, recurring payments, disputes. */
export const processorA: Personality = {
  processor: 'a',
  name: 'Processor A',
  feeOf: (amountMinor) => shareOf(amountMinor, FEE_THOUSANDTHS),
  refuse: refusalReply,
  render: renderCallback,
  announceCardChange: renderCardChange,
  router: routerOf,
};

function routerOf(desk: Desk): Router {
  const router = new Router({ prefix: '/a/v1' });
  router.use((ctx, next) => {
    authenticate(ctx.get('authorization'), `Bearer ${desk.apiKey}`);
    return next();
  });
  addPaymentRoutes(router, desk);
  addDisputeRoutes(router, desk);
  router.get('/card-updates/:updateId', (ctx) => {
    const change = desk.books.get('cardChange', parameter(ctx, 'updateId'));
    if (change?.processor !== 'a') throw new Refusal('not_found', 'There is no such update.');
    ctx.body = presentCardChange(change, desk.books.charge('a', change.reference));
  });
  router.get('/settlements', (ctx) => {
    ctx.body = presentBatches(listBatches(desk.books, 'a', ctx.query));
  });
  router.get('/settlements/:batchId', (ctx) => {
    const batch = desk.books.get('batch', parameter(ctx, 'batchId'));
    if (batch?.processor !== 'a') throw new Refusal('not_found', 'There is no such batch.');
    ctx.body = presentBatch(batch, linesOf(desk.books, batch));
  });
  return router;
}

function addPaymentRoutes(router: Router, desk: Desk): void {
  const operations = new Operations('a', desk, {
    payment: (charge) => ({ status: 200, body: presentCharge(charge, desk.challengeUrl) }),
    refund: (refund) => ({ status: 200, body: presentRefund(refund) }),
    conflict: (refusal, stands) => {
      const { status, body } = refusalReply(refusal);
      const shown =
        'payment' in stands
          ? { payment: presentCharge(stands.payment, desk.challengeUrl) }
          : { refund: presentRefund(stands.refund) };
      return { status, body: { ...body, ...shown } };
    },
  });

  router.post('/payments', async (ctx) => operations.authorize(ctx, readOrder(await readJson(ctx), keyOf(ctx))));
  router.get('/payments/:reference', (ctx) => operations.inquire(ctx, parameter(ctx, 'reference')));
  router.post('/payments/:reference/authentication', async (ctx) => {
    const cres = textOf(await readJson(ctx), 'cres');
    await operations.completeAuthentication(ctx, parameter(ctx, 'reference'), keyOf(ctx), cres);
  });
  router.post('/payments/:reference/captures', async (ctx) => {
    const amount = readAmount(await readJson(ctx));
    await operations.capture(ctx, parameter(ctx, 'reference'), keyOf(ctx), amount);
  });
  router.post('/payments/:reference/cancel', async (ctx) => {
    await readJson(ctx);
    await operations.cancel(ctx, parameter(ctx, 'reference'), keyOf(ctx));
  });
  router.post('/payments/:reference/refunds', async (ctx) => {
    const fields = await readJson(ctx);
    const order = { reference: textOf(fields, 'reference'), ...readAmount(fields) };
    await operations.refund(ctx, parameter(ctx, 'reference'), keyOf(ctx), order);
  });
  router.get('/refunds/:reference', (ctx) => operations.inquireRefund(ctx, parameter(ctx, 'reference')));
}
