import AccountIcon from '@mui/icons-material/AccountBalanceOutlined';
import TermsIcon from '@mui/icons-material/EventRepeatOutlined';
import RunsIcon from '@mui/icons-material/HistoryOutlined';
import PayoutsIcon from '@mui/icons-material/OutboxOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import type { Payout, Run, Terms } from './payout';
import { payoutWords } from './words';

const AccountPage = lazy(() => import('./account-page'));
const roles = ['merchant', 'tenant_admin'] as const;

/** What sellers are paid out, where to, and when. */
export const payouts: Area = {
  resources: [
    {
      name: 'payouts',
      roles,
      group: 'money',
      icon: PayoutsIcon,
      list: '/payouts/1.0.0/payouts',
      one: '/payouts/1.0.0/payouts/{payoutId}',
      idOf: ({ payoutId }: Payout) => payoutId,
      pages: { list: lazy(() => import('./payout-list')), show: lazy(() => import('./payout-page')) },
    },
    {
      name: 'payout-runs',
      roles,
      group: 'money',
      icon: RunsIcon,
      list: '/payouts/1.0.0/runs',
      idOf: ({ runId }: Run) => runId,
      pages: { list: lazy(() => import('./run-list')) },
    },
    {
      name: 'payout-terms',
      roles,
      group: 'money',
      icon: TermsIcon,
      list: '/payouts/1.0.0/terms',
      idOf: ({ termsId }: Terms) => termsId,
      pages: { list: lazy(() => import('./terms-list')) },
    },
  ],
  places: [
    {
      path: 'payout-account',
      roles,
      group: 'money',
      icon: AccountIcon,
      label: 'payouts.account.title',
      needs: 'organization',
      page: <AccountPage />,
    },
  ],
  words: payoutWords,
};
