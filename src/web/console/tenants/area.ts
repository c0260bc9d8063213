import TenantsIcon from '@mui/icons-material/AccountBalanceOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import { tenantWords } from './words';

/** The tenants of the installation. Operators make them, by two, and suspend and resume them. */
export const tenants: Area = {
  resources: [
    {
      name: 'tenants',
      roles: ['ops'],
      group: 'operations',
      icon: TenantsIcon,
      list: '/ops/1.0.0/tenants',
      one: '/ops/1.0.0/tenants/{tenantId}',
      idOf: ({ tenantId }: { tenantId: string }) => tenantId,
      pages: {
        list: lazy(() => import('./tenant-list')),
        show: lazy(() => import('./tenant-page')),
        create: lazy(() => import('./tenant-create')),
      },
    },
  ],
  words: tenantWords,
};
