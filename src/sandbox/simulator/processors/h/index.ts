import { apiPersonality } from '../../api';
import { renderCallback } from './callback';
import * as wire from './wire';

/** Processor H: crypto assets, quoted by invoice and confirmed on a chain. */
export const processorH = apiPersonality({
  processor: 'h',
  name: 'Processor H',
  feeThousandths: 10n,
  stepsOf: (kind) => (kind === 'crypto' ? wire.CONFIRMATIONS : undefined),
  render: renderCallback,
  viewOf: wire.viewOf,
  wire,
  prefix: '/h/api',
  credential: (apiKey) => ['x-account-token', apiKey],
  refundReference: 'merchant_ref',
  paths: {
    order: '/invoices',
    inquiry: '/invoices/:reference',
    cancel: '/invoices/:reference/close',
    refund: '/invoices/:reference/returns',
    refundInquiry: '/returns/:reference',
    batches: '/payouts',
    batch: '/payouts/:reference',
  },
  batchNoun: 'payout',
  batchQuery: { since: 'closed_from', after: 'after' },
});
