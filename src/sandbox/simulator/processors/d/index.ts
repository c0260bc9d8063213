import { apiPersonality } from '../../api';
import { makeKey, renderCallback } from './callback';
import * as wire from './wire';

/** Processor D: a hosted page in Israel. */
export const processorD = apiPersonality({
  processor: 'd',
  name: 'Processor D',
  feeThousandths: 22n,
  makeSecret: makeKey,
  render: renderCallback,
  wire,
  prefix: '/d/api',
  credential: (apiKey) => ['x-api-key', apiKey],
  refundReference: 'refund',
  paths: {
    order: '/pages',
    inquiry: '/transactions/:reference',
    capture: '/transactions/:reference/charge',
    cancel: '/transactions/:reference/release',
    refund: '/transactions/:reference/refunds',
    refundInquiry: '/refunds/:reference',
    batches: '/statements',
    batch: '/statements/:reference',
  },
  batchNoun: 'statement',
});
