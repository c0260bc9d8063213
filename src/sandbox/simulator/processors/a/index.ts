import type Router from '@koa/router';
import { apiPersonality, bearer, referenceIn } from '../../api';
import { Operations } from '../../operations';
import type { Desk } from '../../personality';
import { Refusal } from '../../refusal';
import { keyOf, readJson } from '../../request';
import { renderCallback, renderCardChange } from './callback';
import { addDisputeRoutes } from './disputes';
import * as wire from './wire';

/** Processor A: cards, recurring payments, disputes. */
export const processorA = apiPersonality({
  processor: 'a',
  name: 'Processor A',
  feeThousandths: 15n,
  render: renderCallback,
  announceCardChange: renderCardChange,
  wire,
  prefix: '/a/v1',
  credential: bearer,
  refundReference: 'reference',
  paths: {
    order: '/payments',
    inquiry: '/payments/:reference',
    capture: '/payments/:reference/captures',
    cancel: '/payments/:reference/cancel',
    refund: '/payments/:reference/refunds',
    refundInquiry: '/refunds/:reference',
    batches: '/settlements',
    batch: '/settlements/:reference',
  },
  more: addRoutes,
});

function addRoutes(router: Router, desk: Desk): void {
  const operations = new Operations(desk, wire);
  router.post('/payments/:reference/authentication', async (ctx) => {
    const cres = wire.textOf(await readJson(ctx), 'cres');
    await operations.completeAuthentication(ctx, referenceIn(ctx), keyOf(ctx), cres);
  });
  addDisputeRoutes(router, desk);
  router.get('/card-updates/:reference', (ctx) => {
    const change = desk.books.get('cardChange', referenceIn(ctx));
    if (change?.processor !== 'a') throw new Refusal('not_found', 'There is no such update.');
    ctx.body = wire.presentCardChange(change, desk.books.charge('a', change.reference));
  });
}
