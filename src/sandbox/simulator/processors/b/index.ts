import { apiPersonality } from '../../api';
import { viewOf } from './accounts';
import { renderCallback } from './callback';
import { serveSentTransfers, serveTransfers } from './transfers';
import * as wire from './wire';

/** Processor B: local methods of Iberia and bank transfers. */
export const processorB = apiPersonality({
  processor: 'b',
  name: 'Processor B',
  feeThousandths: 12n,
  render: renderCallback,
  viewOf,
  wire,
  prefix: '/b/api',
  credential: (apiKey) => ['x-chave', apiKey],
  refundReference: 'referencia',
  paths: {
    order: '/pagamentos',
    inquiry: '/pagamentos/:reference',
    cancel: '/pagamentos/:reference/anulacao',
    refund: '/pagamentos/:reference/devolucoes',
    refundInquiry: '/devolucoes/:reference',
    batches: '/lotes',
    batch: '/lotes/:reference',
  },
  takesTransfers: true,
  sendsTransfers: true,
  more: (router, desk) => {
    serveTransfers(router, desk);
    serveSentTransfers(router, desk);
  },
  batchQuery: { since: 'desde', after: 'depois_de' },
});
