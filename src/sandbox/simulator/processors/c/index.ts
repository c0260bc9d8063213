import Router from '@koa/router';
import { readForm } from '../../body';
import { authenticate, Operations } from '../../operations';
import type { Desk, Personality } from '../../personality';
import { Refusal } from '../../refusal';
import { linesOf, listBatches, shareOf } from '../../settlement';
import { renderCallback } from './callback';
import {
  batchList,
  batchTable,
  paymentFields,
  readAmount,
  readOrder,
  refundFields,
  refusalReply,
  reply,
  textOf,
} from './wire';

const FEE_THOUSANDTHS = 25n;
const CSV = 'text/csv; charset=utf-8';

/** Processor C: cards in the Caribbean, and a hosted page. */
export const processorC: Personality = {
  processor: 'c',
  name: 'Processor C',
  authenticatesItself: true,
  feeOf: (amountMinor) => shareOf(amountMinor, FEE_THOUSANDTHS),
  refuse: (refusal) => refusalReply(refusal),
  render: renderCallback,
  router: routerOf,
};

function routerOf(desk: Desk): Router {
  const router = new Router({ prefix: '/c/gateway' });
  const expected = `Basic ${Buffer.from(`tillway:${desk.apiKey}`).toString('base64')}`;
  router.use((ctx, next) => {
    authenticate(ctx.get('authorization'), expected);
    return next();
  });
  const operations = new Operations('c', desk, {
    payment: (charge) => reply(paymentFields(charge, desk.challengeUrl)),
    refund: (refund) => reply(refundFields(refund)),
    conflict: (refusal, stands) =>
      refusalReply(
        refusal,
        'payment' in stands ? paymentFields(stands.payment, desk.challengeUrl) : refundFields(stands.refund),
      ),
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
  router.get('/settlements', (ctx) => {
    ctx.set('Content-Type', CSV);
    ctx.body = batchList(listBatches(desk.books, 'c', ctx.query));
  });
  router.get('/settlement', (ctx) => {
    const batch = desk.books.get('batch', String(ctx.query.batch_id));
    if (batch?.processor !== 'c') throw new Refusal('not_found', 'There is no such batch.');
    ctx.set('Content-Type', CSV);
    ctx.body = batchTable(batch, linesOf(desk.books, batch));
  });
  return router;
}
