import OrganizationsIcon from '@mui/icons-material/StorefrontOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import { organizationWords } from './words';

/** The merchants of a tenant. */
export const organizations: Area = {
  resources: [
    {
      name: 'organizations',
      roles: ['tenant_admin', 'ops'],
      group: 'tenant',
      icon: OrganizationsIcon,
      list: '/onboarding/1.0.0/merchants',
      one: '/onboarding/1.0.0/merchants/{organizationId}',
      idOf: ({ organizationId }: { organizationId: string }) => organizationId,
      needs: 'tenant',
      pages: {
        list: lazy(() => import('./organization-list')),
        show: lazy(() => import('./organization-page')),
        create: lazy(() => import('./organization-create')),
      },
    },
  ],
  words: organizationWords,
};
