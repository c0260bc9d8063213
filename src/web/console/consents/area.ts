import ConsentsIcon from '@mui/icons-material/HandshakeOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import { consentWords } from './words';

/** What customers let third parties do. */
export const consents: Area = {
  resources: [
    {
      name: 'consents',
      roles: ['tenant_admin', 'ops'],
      group: 'customers',
      icon: ConsentsIcon,
      list: '/consents/1.0.0/consents',
      one: '/consents/1.0.0/consents/{consentId}',
      idOf: ({ consentId }: { consentId: string }) => consentId,
      needs: 'tenant',
      pages: { list: lazy(() => import('./consent-list')), show: lazy(() => import('./consent-page')) },
    },
  ],
  words: consentWords,
};
