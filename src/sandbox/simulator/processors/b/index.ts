import Router from '@koa/router';
import type { Context } from 'koa';
import { readForm } from '../../body';
import type { Charge } from '../../books';
import type { Reply } from '../../calls';
import { authenticate, Operations, parameter } from '../../operations';
import type { Desk, Personality } from '../../personality';
import { Refusal } from '../../refusal';
import { linesOf, listBatches, shareOf } from '../../settlement';
import { renderCallback } from './callback';
import {
  batchesReply,
  batchReply,
  paymentReply,
  readAmount,
  readOrder,
  refundReply,
  refusalReply,
  textOf,
} from './wire';

const FEE_THOUSANDTHS = 12n;

/** Processor B: local methods of Iberia and bank transfers. */
export const processorB: Personality = {
  processor: 'b',
  name: 'Processor B',
  feeOf: (amountMinor) => shareOf(amountMinor, FEE_THOUSANDTHS),
  refuse: (refusal) => refusalReply(refusal),
  render: renderCallback,
  router: routerOf,
};

function routerOf(desk: Desk): Router {
  const router = new Router({ prefix: '/b/api' });
  router.use((ctx, next) => {
    authenticate(ctx.get('x-chave'), desk.apiKey);
    return next();
  });
  const pageOf = ({ challenge }: Charge) => (challenge ? desk.challengeUrl(challenge.id) : '');
  const operations = new Operations('b', desk, {
    payment: (charge) => paymentReply(charge, pageOf(charge)),
    refund: refundReply,
    conflict: (refusal, stands) =>
      refusalReply(refusal, stands, 'payment' in stands ? pageOf(stands.payment) : undefined),
  });

  router.post('/pagamentos', async (ctx) => operations.authorize(ctx, readOrder(await readForm(ctx))));
  router.get('/pagamentos/:reference', (ctx) => operations.inquire(ctx, parameter(ctx, 'reference')));
  router.post('/pagamentos/:reference/anulacao', async (ctx) => {
    const key = textOf(await readForm(ctx), 'pedido');
    await operations.cancel(ctx, parameter(ctx, 'reference'), key);
  });
  router.post('/pagamentos/:reference/devolucoes', async (ctx) => {
    const form = await readForm(ctx);
    const order = { reference: textOf(form, 'referencia'), ...readAmount(form) };
    await operations.refund(ctx, parameter(ctx, 'reference'), textOf(form, 'pedido'), order);
  });
  router.get('/devolucoes/:reference', (ctx) => operations.inquireRefund(ctx, parameter(ctx, 'reference')));
  router.get('/lotes', (ctx) => {
    const { desde: since, depois_de: after } = ctx.query;
    send(ctx, batchesReply(listBatches(desk.books, 'b', { since, after })));
  });
  router.get('/lotes/:batchId', (ctx) => {
    const batch = desk.books.get('batch', parameter(ctx, 'batchId'));
    if (batch?.processor !== 'b') throw new Refusal('not_found', 'There is no such batch.');
    send(ctx, batchReply(batch, linesOf(desk.books, batch)));
  });
  return router;
}

function send(ctx: Context, { body, contentType = '' }: Reply): void {
  ctx.set('Content-Type', contentType);
  ctx.body = body;
}
