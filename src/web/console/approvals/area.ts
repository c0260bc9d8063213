import ApprovalIcon from '@mui/icons-material/FactCheckOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import { WaitingApprovals } from './waiting';
import { approvalWords } from './words';

/** What waits for a tenant admin, and decisions about it. */
export const approvals: Area = {
  resources: [
    {
      name: 'approvals',
      roles: ['tenant_admin'],
      group: 'tenant',
      icon: ApprovalIcon,
      list: '/approvals/1.0.0/approvals',
      idOf: ({ approvalId }: { approvalId: string }) => approvalId,
      pages: { list: lazy(() => import('./approvals-page')) },
    },
  ],
  home: { tenant_admin: WaitingApprovals },
  words: approvalWords,
};
