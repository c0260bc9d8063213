import GavelIcon from '@mui/icons-material/GavelOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import { disputeWords } from './words';

/** Chargebacks and returns. */
export const disputes: Area = {
  resources: [
    {
      name: 'disputes',
      roles: ['merchant', 'tenant_admin', 'ops'],
      group: 'money',
      icon: GavelIcon,
      list: '/disputes/1.0.0/disputes',
      one: '/disputes/1.0.0/disputes/{disputeId}',
      idOf: ({ disputeId }: { disputeId: string }) => disputeId,
      needs: 'organization',
      pages: {
        list: lazy(() => import('./dispute-list')),
        show: lazy(() => import('./dispute-page')),
      },
    },
  ],
  words: disputeWords,
};
