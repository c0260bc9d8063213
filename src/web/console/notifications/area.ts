import NotificationsIcon from '@mui/icons-material/SendOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import { notificationWords } from './words';

/** What merchants' servers are told. */
export const notifications: Area = {
  resources: [
    {
      name: 'notifications',
      roles: ['merchant', 'tenant_admin', 'ops'],
      group: 'developers',
      icon: NotificationsIcon,
      list: '/ipg/1.0.0/payment/notifications',
      one: '/ipg/1.0.0/payment/notifications/{notificationId}',
      idOf: ({ notificationId }: { notificationId: string }) => notificationId,
      needs: 'organization',
      pages: {
        list: lazy(() => import('./notification-list')),
        show: lazy(() => import('./notification-page')),
      },
    },
  ],
  words: notificationWords,
};
