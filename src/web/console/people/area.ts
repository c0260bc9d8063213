import ClientIcon from '@mui/icons-material/KeyOutlined';
import PeopleIcon from '@mui/icons-material/PeopleOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import { peopleWords } from './words';

/** Who signs in for a tenant, an organization, or as operator: people, and programs. */
export const people: Area = {
  resources: [
    {
      name: 'people',
      roles: ['merchant', 'tenant_admin', 'ops'],
      group: 'account',
      icon: PeopleIcon,
      list: '/identity/1.0.0/users',
      one: '/identity/1.0.0/users/{userId}',
      idOf: ({ userId }: { userId: string }) => userId,
      pages: {
        list: lazy(() => import('./people-list')),
        show: lazy(() => import('./person-page')),
      },
    },
    {
      name: 'clients',
      roles: ['merchant', 'tenant_admin', 'ops'],
      group: 'developers',
      icon: ClientIcon,
      list: '/identity/1.0.0/clients',
      one: '/identity/1.0.0/clients/{clientId}',
      idOf: ({ clientId }: { clientId: string }) => clientId,
      pages: {
        list: lazy(() => import('./client-list')),
        show: lazy(() => import('./client-page')),
      },
    },
  ],
  words: peopleWords,
};
