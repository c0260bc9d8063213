import Router from '@koa/router';
import type { Context } from 'koa';
import { readForm } from '../../body';
import type { Charge } from '../../books';
import { authenticate, Operations } from '../../operations';
import type { Desk, Personality } from '../../personality';
import { Refusal } from '../../refusal';
import { linesOf, listBatches, shareOf } from '../../settlement';
import { renderCallback } from './callback';
import { batchOf, done, paymentOf, readOrder, readTotal, refundOf, refusalReply, textOf } from './wire';

/** High risk has its price. */
const FEE_THOUSANDTHS = 60n;

/** Processor G: high-risk cards. */
export const processorG: Personality = {
  processor: 'g',
  name: 'Processor G',
  authenticatesItself: true,
  feeOf: (amountMinor) => shareOf(amountMinor, FEE_THOUSANDTHS),
  refuse: (refusal) => refusalReply(refusal),
  render: renderCallback,
  router: routerOf,
};

type Form = Record<string, string>;

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
  const { books } = desk;
  const payment = (charge: Charge) =>
    paymentOf(charge, charge.caseId ? books.get('dispute', charge.caseId) : undefined, desk.challengeUrl);
  const operations = new Operations('g', desk, {
    payment: (charge) => done(payment(charge)),
    refund: (refund) => done(refundOf(refund)),
    conflict: (refusal, stands) =>
      refusalReply(refusal, 'payment' in stands ? payment(stands.payment) : refundOf(stands.refund)),
  });
  const authorize = (ctx: Context, form: Form) => operations.authorize(ctx, readOrder(form));
  return new Map<string, (ctx: Context, form: Form) => unknown>([
    ['PAY', authorize],
    ['HOLD', authorize],
    ['STATUS', (ctx, form) => operations.inquire(ctx, textOf(form, 'order'))],
    ['CAPTURE', (ctx, form) => operations.capture(ctx, textOf(form, 'order'), textOf(form, 'nonce'), readTotal(form))],
    ['CANCEL', (ctx, form) => operations.cancel(ctx, textOf(form, 'order'), textOf(form, 'nonce'))],
    [
      'REFUND',
      (ctx, form) => {
        const order = { reference: textOf(form, 'refund'), ...readTotal(form) };
        return operations.refund(ctx, textOf(form, 'order'), textOf(form, 'nonce'), order);
      },
    ],
    ['REFUND_STATUS', (ctx, form) => operations.inquireRefund(ctx, textOf(form, 'refund'))],
    [
      'BATCH',
      (ctx, form) => {
        const batch = books.get('batch', textOf(form, 'batch'));
        if (batch?.processor !== 'g') throw new Refusal('not_found', 'There is no such batch.');
        ctx.body = done(batchOf(batch, linesOf(books, batch))).body;
      },
    ],
    [
      'BATCHES',
      (ctx, form) => {
        const { batches, hasMore } = listBatches(books, 'g', form);
        ctx.body = done({ batches: batches.map(({ id }) => id), more: hasMore }).body;
      },
    ],
  ]);
}
