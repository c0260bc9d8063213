import AuditIcon from '@mui/icons-material/ManageSearchOutlined';
import { lazy } from 'react';
import type { Area } from '../area';
import { auditWords } from './words';

/** Who did what: acts of people and programs. */
export const audit: Area = {
  resources: [
    {
      name: 'audit-log',
      roles: ['tenant_admin', 'ops'],
      group: 'account',
      icon: AuditIcon,
      list: '/identity/1.0.0/audit',
      idOf: ({ entryId }: { entryId: string }) => entryId,
      pages: { list: lazy(() => import('./audit-log-list')) },
    },
  ],
  words: auditWords,
};
