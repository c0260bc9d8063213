import TopupsIcon from '@mui/icons-material/AccountBalanceWalletOutlined';
import RequestsIcon from '@mui/icons-material/RequestQuoteOutlined';
import SchedulesIcon from '@mui/icons-material/ScheduleOutlined';
import TransfersIcon from '@mui/icons-material/SwapHorizOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import { walletWords } from './words';

const common = { roles: ['tenant_admin', 'ops'], group: 'customers', needs: 'tenant' } as const;

/** Money of customers that moves: top-ups, transfers between them, requests and schedules. */
export const wallets: Area = {
  resources: [
    {
      ...common,
      name: 'topups',
      icon: TopupsIcon,
      list: '/wallet/1.0.0/topups',
      one: '/wallet/1.0.0/topups/{topupId}',
      idOf: ({ topupId }: { topupId: string }) => topupId,
      pages: { list: lazy(() => import('./topup-list')), show: lazy(() => import('./topup-page')) },
    },
    {
      ...common,
      name: 'transfers',
      icon: TransfersIcon,
      list: '/p2p/1.0.0/transfers',
      one: '/p2p/1.0.0/transfers/{transferId}',
      idOf: ({ transferId }: { transferId: string }) => transferId,
      pages: { list: lazy(() => import('./transfer-list')), show: lazy(() => import('./transfer-page')) },
    },
    {
      ...common,
      name: 'money-requests',
      icon: RequestsIcon,
      list: '/p2p/1.0.0/requests',
      idOf: ({ requestId }: { requestId: string }) => requestId,
      pages: { list: lazy(() => import('./request-list')) },
    },
    {
      ...common,
      name: 'schedules',
      icon: SchedulesIcon,
      list: '/p2p/1.0.0/schedules',
      idOf: ({ scheduleId }: { scheduleId: string }) => scheduleId,
      pages: { list: lazy(() => import('./schedule-list')) },
    },
  ],
  words: walletWords,
};
