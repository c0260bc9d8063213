import Router from '@koa/router';
import type { Context } from 'koa';
import { authenticate, findBatch, send } from '../../api';
import { Operations } from '../../operations';
import type { Desk, Personality } from '../../personality';
import { Refusal } from '../../refusal';
import { readForm, textOf } from '../../request';
import { listBatches } from '../../settlement';
import { renderCallback } from './callback';
import { done, type Form, presentBatch, presentPayment, presentRefund, readAmount, readOrder, refuse } from './wire';

/** Processor G: high-risk cards. */
export const processorG: Personality = {
  processor: 'g',
  name: 'Processor G',
  // High risk has its price.
  feeThousandths: 60n,
  authenticatesItself: true,
  refuse,
  render: renderCallback,
  router: routerOf,
};

/** One address for everything: the form says which operation, and holds the key. */
function routerOf(desk: Desk): Router {
  const operations = operationsOf(desk);
  const router = new Router({ prefix: '/g' });
  router.post('/process', async (ctx) => {
    const form = await readForm(ctx);
    authenticate(form.key ?? '', desk.apiKey);
    const perform = operations.get(textOf(form, 'op'));
    if (!perform) throw new Refusal('invalid_request', 'op is none.');
    await perform(ctx, form);
  });
  return router;
}

function operationsOf(desk: Desk): ReadonlyMap<string, (ctx: Context, form: Form) => unknown> {
  const operations = new Operations<object>(desk, {
    presentPayment: (charge, pageUrl) =>
      presentPayment(charge, charge.caseId ? desk.books.get('dispute', charge.caseId) : undefined, pageUrl),
    presentRefund,
    reply: done,
    refuse,
  });
  const authorize = (ctx: Context, form: Form) => operations.authorize(ctx, readOrder(form));
  return new Map<string, (ctx: Context, form: Form) => unknown>([
    ['PAY', authorize],
    ['HOLD', authorize],
    ['STATUS', (ctx, form) => operations.inquire(ctx, textOf(form, 'order'))],
    ['CAPTURE', (ctx, form) => operations.capture(ctx, textOf(form, 'order'), textOf(form, 'nonce'), readAmount(form))],
    ['CANCEL', (ctx, form) => operations.cancel(ctx, textOf(form, 'order'), textOf(form, 'nonce'))],
    [
      'REFUND',
      (ctx, form) => {
        const order = { reference: textOf(form, 'refund'), ...readAmount(form) };
        return operations.refund(ctx, textOf(form, 'order'), textOf(form, 'nonce'), order);
      },
    ],
    ['REFUND_STATUS', (ctx, form) => operations.inquireRefund(ctx, textOf(form, 'refund'))],
    [
      'BATCH',
      (ctx, form) => {
        const { batch, lines } = findBatch(desk, textOf(form, 'batch'));
        send(ctx, done(presentBatch(batch, lines)));
      },
    ],
    [
      'BATCHES',
      (ctx, form) => {
        const { batches, hasMore } = listBatches(desk, form);
        send(ctx, done({ batches: batches.map(({ id }) => id), more: hasMore }));
      },
    ],
  ]);
}
