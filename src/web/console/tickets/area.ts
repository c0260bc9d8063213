import TicketsIcon from '@mui/icons-material/ForumOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import type { Ticket } from './ticket';
import { ticketWords } from './words';

/** Questions of buyers. */
export const tickets: Area = {
  resources: [
    {
      name: 'tickets',
      roles: ['merchant', 'tenant_admin'],
      group: 'selling',
      icon: TicketsIcon,
      list: '/payment-links/1.0.0/tickets',
      one: '/payment-links/1.0.0/tickets/{ticketId}',
      idOf: ({ ticketId }: Ticket) => ticketId,
      pages: {
        list: lazy(() => import('./ticket-list')),
        show: lazy(() => import('./ticket-page')),
      },
    },
  ],
  words: ticketWords,
};
