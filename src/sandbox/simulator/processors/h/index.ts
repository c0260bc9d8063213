import Router from '@koa/router';
import { readJson } from '../../body';
import type { Charge } from '../../books';
import { authenticate, Operations, parameter } from '../../operations';
import type { Desk, Personality } from '../../personality';
import { Refusal } from '../../refusal';
import { linesOf, listBatches, shareOf } from '../../settlement';
import { renderCallback } from './callback';
import {
  CONFIRMATIONS,
  presentInvoice,
  presentPayout,
  presentReturn,
  readAmount,
  readInvoice,
  refusalReply,
  textOf,
} from './wire';

const FEE_THOUSANDTHS = 10n;

/** Processor H: crypto assets, quoted by invoice and confirmed on a chain. */
export const processorH: Personality = {
  processor: 'h',
  name: 'Processor H',
  feeOf: (amountMinor) => shareOf(amountMinor, FEE_THOUSANDTHS),
  stepsOf: (kind) => (kind === 'crypto' ? CONFIRMATIONS : undefined),
  refuse: (refusal) => refusalReply(refusal),
  render: renderCallback,
  router: routerOf,
};

function routerOf(desk: Desk): Router {
  const router = new Router({ prefix: '/h/api' });
  router.use((ctx, next) => {
    authenticate(ctx.get('x-account-token'), desk.apiKey);
    return next();
  });
  const shown = (charge: Charge) => ({
    invoice: presentInvoice(charge, charge.challenge ? desk.challengeUrl(charge.challenge.id) : ''),
  });
  const operations = new Operations('h', desk, {
    payment: (charge) => ({ status: 200, body: shown(charge) }),
    refund: (refund) => ({ status: 200, body: { return: presentReturn(refund) } }),
    conflict: (refusal, stands) =>
      refusalReply(refusal, 'payment' in stands ? shown(stands.payment) : { return: presentReturn(stands.refund) }),
  });

  router.post('/invoices', async (ctx) => operations.authorize(ctx, readInvoice(await readJson(ctx))));
  router.get('/invoices/:reference', (ctx) => operations.inquire(ctx, parameter(ctx, 'reference')));
  router.post('/invoices/:reference/close', async (ctx) => {
    const key = textOf(await readJson(ctx), 'request_id');
    await operations.cancel(ctx, parameter(ctx, 'reference'), key);
  });
  router.post('/invoices/:reference/returns', async (ctx) => {
    const fields = await readJson(ctx);
    const order = { reference: textOf(fields, 'merchant_ref'), ...readAmount(fields, 'amount') };
    await operations.refund(ctx, parameter(ctx, 'reference'), textOf(fields, 'request_id'), order);
  });
  router.get('/returns/:reference', (ctx) => operations.inquireRefund(ctx, parameter(ctx, 'reference')));
  router.get('/payouts', (ctx) => {
    const { closed_from: since, after } = ctx.query;
    const { batches, hasMore } = listBatches(desk.books, 'h', { since, after });
    ctx.body = { payouts: batches.map(({ id }) => id), next: hasMore ? batches.at(-1)?.id : null };
  });
  router.get('/payouts/:payout', (ctx) => {
    const batch = desk.books.get('batch', parameter(ctx, 'payout'));
    if (batch?.processor !== 'h') throw new Refusal('not_found', 'There is no such payout.');
    ctx.body = { payout: presentPayout(batch, linesOf(desk.books, batch)) };
  });
  return router;
}
