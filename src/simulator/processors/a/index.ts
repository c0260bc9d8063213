import { timingSafeEqual } from 'node:crypto';
import Router from '@koa/router';
import { readJson } from '../../body';
import type { Charge } from '../../books';
import type { Reply } from '../../calls';
import type { Desk, Personality } from '../../personality';
import { Refusal } from '../../refusal';
import { linesOf, shareOf } from '../../settlement';
import { renderCallback } from './callback';
import { addDisputeRoutes } from './disputes';
import { keyOf, parameter } from './request';
import { presentBatch, presentCharge, presentRefund, readAmount, readOrder, refusalReply, textOf } from './wire';

const FEE_THOUSANDTHS = 15n;

/** Processor A: cards, recurring payments, disputes. */
export const processorA: Personality = {
  processor: 'a',
  name: 'Processor A',
  feeOf: (amountMinor) => shareOf(amountMinor, FEE_THOUSANDTHS),
  refuse: refusalReply,
  render: renderCallback,
  router: routerOf,
};

function routerOf(desk: Desk): Router {
  const router = new Router({ prefix: '/a/v1' });
  const expected = Buffer.from(`Bearer ${desk.apiKey}`);
  router.use((ctx, next) => {
    const given = Buffer.from(ctx.get('authorization'));
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new Refusal('unauthorized', 'The API key is missing or wrong.');
    return next();
  });
  addPaymentRoutes(router, desk);
  addRefundRoutes(router, desk);
  addDisputeRoutes(router, desk);
  router.get('/settlements/:batchId', (ctx) => {
    const batch = desk.books.get('batch', parameter(ctx, 'batchId'));
    if (batch?.processor !== 'a') throw new Refusal('not_found', 'There is no such batch.');
    ctx.body = presentBatch(batch, linesOf(desk.books, batch));
  });
  return router;
}

function addPaymentRoutes(router: Router, { acquirer, calls, challengeUrl }: Desk): void {
  const shown = (charge: Charge): Reply => ({ status: 200, body: presentCharge(charge, challengeUrl) });
  /** An operation that the payment's state does not allow is answered with the payment. */
  const operation = (reference: string, perform: () => Charge) => () => {
    try {
      return shown(perform());
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid_state') throw error;
      const { status, body } = refusalReply(error);
      return { status, body: { ...body, payment: presentCharge(acquirer.find(reference), challengeUrl) } };
    }
  };

  router.post('/payments', async (ctx) => {
    const order = readOrder(await readJson(ctx), keyOf(ctx));
    await calls.answer(ctx, {
      processor: 'a',
      on: 'authorize',
      reference: order.reference,
      idempotencyKey: order.idempotencyKey,
      fingerprint: `authorize ${order.reference} ${order.amountMinor} ${order.currency} ${order.capture}`,
      counted: true,
      perform: () => {
        const charge = acquirer.authorize(order);
        return charge && { ...shown(charge), silent: charge.silent };
      },
    });
  });

  router.get('/payments/:reference', async (ctx) => {
    const reference = parameter(ctx, 'reference');
    await calls.answer(ctx, {
      processor: 'a',
      on: 'inquiry',
      reference,
      fingerprint: '',
      perform: () => shown(acquirer.find(reference)),
    });
  });

  router.post('/payments/:reference/authentication', async (ctx) => {
    const reference = parameter(ctx, 'reference');
    const cres = textOf(await readJson(ctx), 'cres');
    await calls.answer(ctx, {
      processor: 'a',
      on: 'authorize',
      reference,
      idempotencyKey: keyOf(ctx),
      fingerprint: `authentication ${reference}`,
      perform: operation(reference, () => acquirer.completeAuthentication(reference, cres)),
    });
  });

  router.post('/payments/:reference/captures', async (ctx) => {
    const reference = parameter(ctx, 'reference');
    const { amountMinor, currency } = readAmount(await readJson(ctx));
    await calls.answer(ctx, {
      processor: 'a',
      on: 'capture',
      reference,
      idempotencyKey: keyOf(ctx),
      fingerprint: `capture ${reference} ${amountMinor} ${currency}`,
      perform: operation(reference, () => acquirer.capture(reference, amountMinor, currency)),
    });
  });

  router.post('/payments/:reference/cancel', async (ctx) => {
    const reference = parameter(ctx, 'reference');
    await readJson(ctx);
    await calls.answer(ctx, {
      processor: 'a',
      on: 'capture',
      reference,
      idempotencyKey: keyOf(ctx),
      fingerprint: `cancel ${reference}`,
      perform: operation(reference, () => acquirer.cancel(reference)),
    });
  });
}

function addRefundRoutes(router: Router, { acquirer, books, calls }: Desk): void {
  router.post('/payments/:reference/refunds', async (ctx) => {
    const paymentReference = parameter(ctx, 'reference');
    const fields = await readJson(ctx);
    const order = { reference: textOf(fields, 'reference'), ...readAmount(fields) };
    await calls.answer(ctx, {
      processor: 'a',
      on: 'refund',
      reference: paymentReference,
      idempotencyKey: keyOf(ctx),
      fingerprint: `refund ${paymentReference} ${order.reference} ${order.amountMinor} ${order.currency}`,
      perform: () => {
        try {
          return { status: 200, body: presentRefund(acquirer.refund(paymentReference, order)) };
        } catch (error) {
          if (!(error instanceof Refusal) || error.code !== 'duplicate_reference') throw error;
          const { status, body } = refusalReply(error);
          return { status, body: { ...body, refund: presentRefund(acquirer.findRefund(order.reference)) } };
        }
      },
    });
  });

  router.get('/refunds/:reference', async (ctx) => {
    const reference = parameter(ctx, 'reference');
    await calls.answer(ctx, {
      processor: 'a',
      on: 'inquiry',
      reference: books.refund('a', reference)?.paymentReference ?? reference,
      fingerprint: '',
      perform: () => ({ status: 200, body: presentRefund(acquirer.findRefund(reference)) }),
    });
  });
}
