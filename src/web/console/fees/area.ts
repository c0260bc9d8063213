import FeesIcon from '@mui/icons-material/PercentOutlined';
import LimitsIcon from '@mui/icons-material/SpeedOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import { feeWords } from './words';

/** What operations cost, and how much customers may move. */
export const fees: Area = {
  resources: [
    {
      name: 'fees',
      roles: ['tenant_admin', 'ops'],
      group: 'tenant',
      icon: FeesIcon,
      list: '/wallet/1.0.0/fees',
      idOf: ({ feeId }: { feeId: string }) => feeId,
      needs: 'tenant',
      pages: { list: lazy(() => import('./fee-list')), create: lazy(() => import('./fee-create')) },
    },
    {
      name: 'limits',
      roles: ['tenant_admin', 'ops'],
      group: 'tenant',
      icon: LimitsIcon,
      list: '/wallet/1.0.0/limits',
      idOf: ({ customerId = 'all', operation, currency }: Record<string, string>) =>
        `${customerId}.${operation}.${currency}`,
      needs: 'tenant',
      pages: { list: lazy(() => import('./limit-list')), create: lazy(() => import('./limit-create')) },
    },
  ],
  words: feeWords,
};
