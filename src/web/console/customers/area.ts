import CustomersIcon from '@mui/icons-material/PeopleOutlined';
import VerificationIcon from '@mui/icons-material/VerifiedOutlined';
import { createElement, lazy } from 'react';
import type { Area } from '../area';
import { customerWords } from './words';

const PolicyPage = lazy(() => import('./policy-page'));

/** Customers of a tenant: their records, wallets, documents and what may be done with them. */
export const customers: Area = {
  resources: [
    {
      name: 'customers',
      roles: ['tenant_admin', 'ops'],
      group: 'customers',
      icon: CustomersIcon,
      list: '/customer/1.0.0/listByTenant/{tenantId}',
      one: '/customer/1.0.0/fetch/{customerId}',
      idOf: ({ customerId }: { customerId: string }) => customerId,
      needs: 'tenant',
      pages: {
        list: lazy(() => import('./customer-list')),
        show: lazy(() => import('./customer-page')),
        create: lazy(() => import('./customer-create')),
      },
    },
  ],
  places: [
    {
      path: 'verification-policy',
      roles: ['tenant_admin'],
      group: 'customers',
      icon: VerificationIcon,
      label: 'customers.policy.title',
      page: createElement(PolicyPage),
    },
  ],
  words: customerWords,
};
