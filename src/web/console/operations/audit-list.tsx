import { useRefresh, useTranslate } from 'react-admin';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status, type Tone } from '../parts/status';
import { OperatorAct } from './operator-act';
import type { Audit } from './work';
import { Wrapped } from './wrapped';

export const AUDIT_TONES: Record<Audit['status'], Tone> = {
  waiting: 'moving',
  running: 'moving',
  done: 'good',
  failed: 'bad',
};

const COLUMNS: Column<Audit>[] = [
  { label: 'operations.audit.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
  { label: 'operations.audit.status', of: ({ status }) => <Status value={status} tone={AUDIT_TONES[status]} /> },
  { label: 'operations.audit.findings', of: ({ findings }) => String(findings), end: true },
  { label: 'operations.audit.reason', of: ({ reason }) => <Wrapped>{reason}</Wrapped> },
  { label: 'operations.audit.startedBy', of: ({ startedBy }) => <Wrapped>{startedBy}</Wrapped>, wide: true },
];

export default function AuditList() {
  const refresh = useRefresh();
  const translate = useTranslate();
  return (
    <ListPage<Audit>
      columns={COLUMNS}
      acts={
        <OperatorAct
          offered={{ act: 'audit', path: '/ops/1.0.0/audits', asks: ['reason'] }}
          about={translate('operations.audit.books')}
          onDone={refresh}
        />
      }
    />
  );
}
