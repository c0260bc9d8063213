import GoLiveIcon from '@mui/icons-material/RocketLaunchOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import { activationWords } from './words';

/** A merchant leaves the sandbox: it applies, and operators decide. */
export const activation: Area = {
  resources: [
    {
      name: 'activations',
      roles: ['merchant', 'tenant_admin', 'ops'],
      group: 'developers',
      icon: GoLiveIcon,
      list: '/onboarding/1.0.0/activations',
      one: '/onboarding/1.0.0/activations/{activationId}',
      idOf: ({ activationId }: { activationId: string }) => activationId,
      pages: {
        list: lazy(() => import('./activation-list')),
        show: lazy(() => import('./activation-page')),
        create: lazy(() => import('./apply-page')),
      },
    },
  ],
  words: activationWords,
};
