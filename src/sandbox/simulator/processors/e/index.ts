import Router from '@koa/router';
import { readJson } from '../../body';
import { authenticate, keyOf, Operations, parameter } from '../../operations';
import type { Desk, Personality } from '../../personality';
import { Refusal } from '../../refusal';
import { linesOf, listBatches, shareOf } from '../../settlement';
import { renderCallback } from './callback';
import {
  COLLECTION,
  presentCredit,
  presentPayment,
  presentStatement,
  readAmount,
  readOrder,
  refusalReply,
  textOf,
} from './wire';

const FEE_THOUSANDTHS = 7n;

/** Processor E: wallet tokens and direct debit. */
export const processorE: Personality = {
  processor: 'e',
  name: 'Processor E',
  feeOf: (amountMinor) => shareOf(amountMinor, FEE_THOUSANDTHS),
  stepsOf: (kind) => (kind === 'direct_debit' ? COLLECTION : undefined),
  refuse: (refusal) => refusalReply(refusal),
  render: renderCallback,
  router: routerOf,
};

function routerOf(desk: Desk): Router {
  const router = new Router({ prefix: '/e/api' });
  router.use((ctx, next) => {
    authenticate(ctx.get('authorization'), `Bearer ${desk.apiKey}`);
    return next();
  });
  const operations = new Operations('e', desk, {
    payment: (charge) => ({ status: 200, body: presentPayment(charge) }),
    refund: (refund) => ({ status: 200, body: presentCredit(refund) }),
    conflict: (refusal, stands) =>
      refusalReply(refusal, 'payment' in stands ? presentPayment(stands.payment) : presentCredit(stands.refund)),
  });

  router.post('/payments', async (ctx) => operations.authorize(ctx, readOrder(await readJson(ctx), keyOf(ctx))));
  router.get('/payments/:reference', (ctx) => operations.inquire(ctx, parameter(ctx, 'reference')));
  router.post('/payments/:reference/booking', async (ctx) => {
    const amount = readAmount(await readJson(ctx));
    await operations.capture(ctx, parameter(ctx, 'reference'), keyOf(ctx), amount);
  });
  router.post('/payments/:reference/revocation', async (ctx) => {
    await readJson(ctx);
    await operations.cancel(ctx, parameter(ctx, 'reference'), keyOf(ctx));
  });
  router.post('/payments/:reference/credit-transfers', async (ctx) => {
    const fields = await readJson(ctx);
    const order = { reference: textOf(fields, 'creditId'), ...readAmount(fields) };
    await operations.refund(ctx, parameter(ctx, 'reference'), keyOf(ctx), order);
  });
  router.get('/credit-transfers/:reference', (ctx) => operations.inquireRefund(ctx, parameter(ctx, 'reference')));
  router.get('/statements', (ctx) => {
    const { batches, hasMore } = listBatches(desk.books, 'e', ctx.query);
    ctx.body = { statements: batches.map(({ id }) => ({ statementId: id })), next: hasMore };
  });
  router.get('/statements/:statementId', (ctx) => {
    const batch = desk.books.get('batch', parameter(ctx, 'statementId'));
    if (batch?.processor !== 'e') throw new Refusal('not_found', 'There is no such statement.');
    ctx.body = presentStatement(batch, linesOf(desk.books, batch));
  });
  return router;
}
