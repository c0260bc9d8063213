import { apiPersonality, basic } from '../../api';
import { makeKey, renderCallback } from './callback';
import { scanRouter } from './scan';
import * as wire from './wire';

/** Processor F: alternative methods, UPI, codes to scan. */
export const processorF = apiPersonality({
  processor: 'f',
  name: 'Processor F',
  feeThousandths: 9n,
  makeSecret: makeKey,
  render: renderCallback,
  viewOf: wire.viewOf,
  payerApp: scanRouter,
  wire,
  prefix: '/f/v2',
  credential: basic,
  refundReference: 'merchantReference',
  paths: {
    order: '/orders',
    inquiry: '/orders/:reference',
    cancel: '/orders/:reference/withdrawal',
    refund: '/orders/:reference/refunds',
    refundInquiry: '/refunds/:reference',
    batches: '/payouts',
    batch: '/payouts/:reference',
  },
  batchNoun: 'payout',
  batchQuery: { since: 'closedFrom', after: 'after' },
});
