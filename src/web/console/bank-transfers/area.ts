import AccountsIcon from '@mui/icons-material/AccountBalanceOutlined';
import ReturnsIcon from '@mui/icons-material/AssignmentReturnOutlined';
import StatementsIcon from '@mui/icons-material/DescriptionOutlined';
import ProposalsIcon from '@mui/icons-material/HelpOutlineOutlined';
import TransfersIcon from '@mui/icons-material/SyncAltOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import type { BankAccount, Proposal, Return, Statement, Transfer } from './transfer';
import { bankTransferWords } from './words';

const tenant = { roles: ['tenant_admin'] as const, group: 'tenant' as const };

/** Payments by transfer to the tenant's own account. */
export const bankTransfers: Area = {
  resources: [
    {
      name: 'bank-transfers',
      roles: ['merchant', 'tenant_admin'],
      group: 'selling',
      icon: TransfersIcon,
      list: '/bank-transfer/1.0.0/transfers',
      one: '/bank-transfer/1.0.0/transfers/{paymentId}',
      idOf: ({ paymentId }: Transfer) => paymentId,
      pages: {
        list: lazy(() => import('./transfer-list')),
        show: lazy(() => import('./transfer-page')),
        create: lazy(() => import('./transfer-create')),
      },
    },
    {
      ...tenant,
      name: 'bank-accounts',
      icon: AccountsIcon,
      list: '/bank-transfer/1.0.0/accounts',
      idOf: ({ accountId }: BankAccount) => accountId,
      pages: { list: lazy(() => import('./account-list')) },
    },
    {
      ...tenant,
      name: 'bank-statements',
      icon: StatementsIcon,
      list: '/bank-transfer/1.0.0/statements',
      one: '/bank-transfer/1.0.0/statements/{statementId}',
      idOf: ({ statementId }: Statement) => statementId,
      pages: { list: lazy(() => import('./statement-list')), show: lazy(() => import('./statement-page')) },
    },
    {
      ...tenant,
      name: 'bank-proposals',
      icon: ProposalsIcon,
      list: '/bank-transfer/1.0.0/proposals',
      idOf: ({ entryId }: Proposal) => entryId,
      pages: { list: lazy(() => import('./proposal-list')) },
    },
    {
      ...tenant,
      name: 'bank-returns',
      icon: ReturnsIcon,
      list: '/bank-transfer/1.0.0/returns',
      idOf: ({ returnId }: Return) => returnId,
      pages: { list: lazy(() => import('./return-list')) },
    },
  ],
  words: bankTransferWords,
};
