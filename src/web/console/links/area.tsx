import LinkIcon from '@mui/icons-material/LinkOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import type { PaymentLink } from './link';
import { linkWords } from './words';

const Poster = lazy(() => import('./link-poster'));

/** Payment links of merchants. */
export const links: Area = {
  resources: [
    {
      name: 'links',
      roles: ['merchant', 'tenant_admin'],
      group: 'selling',
      icon: LinkIcon,
      list: '/payment-links/1.0.0/links',
      one: '/payment-links/1.0.0/links/{linkId}',
      idOf: ({ linkId }: PaymentLink) => linkId,
      nameOf: ({ title }) => title,
      pages: {
        list: lazy(() => import('./link-list')),
        show: lazy(() => import('./link-page')),
        create: lazy(() => import('./link-create')),
      },
    },
  ],
  places: [
    {
      path: 'links/:id/poster',
      roles: ['merchant', 'tenant_admin'],
      label: 'links.poster',
      isBare: true,
      page: <Poster />,
    },
  ],
  words: linkWords,
};
