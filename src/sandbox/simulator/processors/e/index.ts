import { apiPersonality, bearer } from '../../api';
import { renderCallback } from './callback';
import * as wire from './wire';

/** Processor E: wallet tokens and direct debit. */
export const processorE = apiPersonality({
  processor: 'e',
  name: 'Processor E',
  feeThousandths: 7n,
  stepsOf: (kind) => (kind === 'direct_debit' ? wire.COLLECTION : undefined),
  render: renderCallback,
  wire,
  prefix: '/e/api',
  credential: bearer,
  refundReference: 'creditId',
  paths: {
    order: '/payments',
    inquiry: '/payments/:reference',
    capture: '/payments/:reference/booking',
    cancel: '/payments/:reference/revocation',
    refund: '/payments/:reference/credit-transfers',
    refundInquiry: '/credit-transfers/:reference',
    batches: '/statements',
    batch: '/statements/:reference',
  },
  batchNoun: 'statement',
});
