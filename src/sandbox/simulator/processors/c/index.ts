import Router from '@koa/router';
import { authenticate, basic, findBatch, send } from '../../api';
import { Operations } from '../../operations';
import type { Desk, Personality } from '../../personality';
import { readForm, textOf } from '../../request';
import { listBatches } from '../../settlement';
import { renderCallback } from './callback';
import {
  formReply,
  presentBatch,
  presentBatches,
  presentPayment,
  presentRefund,
  readAmount,
  readOrder,
  refuse,
} from './wire';

/** Processor C: cards in the Caribbean, and a hosted page. */
export const processorC: Personality = {
  processor: 'c',
  name: 'Processor C',
  feeThousandths: 25n,
  authenticatesItself: true,
  refuse,
  render: renderCallback,
  router: routerOf,
};

/** An address for each operation; what it is about stands in the form or in the query. */
function routerOf(desk: Desk): Router {
  const router = new Router({ prefix: '/c/gateway' });
  const [header, expected] = basic(desk.apiKey);
  router.use((ctx, next) => {
    authenticate(ctx.get(header), expected);
    return next();
  });
  const operations = new Operations(desk, {
    presentPayment,
    presentRefund,
    reply: (fields) => formReply(200, fields),
    refuse,
  });

  router.post('/payment', async (ctx) => operations.authorize(ctx, readOrder(await readForm(ctx))));
  router.get('/payment', (ctx) => operations.inquire(ctx, String(ctx.query.order_id)));
  router.post('/capture', async (ctx) => {
    const form = await readForm(ctx);
    await operations.capture(ctx, textOf(form, 'order_id'), textOf(form, 'request_id'), readAmount(form));
  });
  router.post('/reversal', async (ctx) => {
    const form = await readForm(ctx);
    await operations.cancel(ctx, textOf(form, 'order_id'), textOf(form, 'request_id'));
  });
  router.post('/credit', async (ctx) => {
    const form = await readForm(ctx);
    const order = { reference: textOf(form, 'credit_id'), ...readAmount(form) };
    await operations.refund(ctx, textOf(form, 'order_id'), textOf(form, 'request_id'), order);
  });
  router.get('/credit', (ctx) => operations.inquireRefund(ctx, String(ctx.query.credit_id)));
  router.get('/settlements', (ctx) => send(ctx, presentBatches(listBatches(desk, ctx.query))));
  router.get('/settlement', (ctx) => {
    const { batch, lines } = findBatch(desk, String(ctx.query.batch_id));
    send(ctx, presentBatch(batch, lines));
  });
  return router;
}
