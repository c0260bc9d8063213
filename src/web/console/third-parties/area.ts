import ThirdPartiesIcon from '@mui/icons-material/HubOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import { thirdPartyWords } from './words';

/** The third-party providers of open banking. Operators register them. */
export const thirdParties: Area = {
  resources: [
    {
      name: 'third-parties',
      roles: ['ops'],
      group: 'operations',
      icon: ThirdPartiesIcon,
      list: '/onboarding/1.0.0/tpps',
      one: '/onboarding/1.0.0/tpps/{tppId}',
      idOf: ({ tppId }: { tppId: string }) => tppId,
      pages: {
        list: lazy(() => import('./third-party-list')),
        show: lazy(() => import('./third-party-page')),
        create: lazy(() => import('./third-party-create')),
        edit: lazy(() => import('./third-party-edit')),
      },
    },
  ],
  words: thirdPartyWords,
};
