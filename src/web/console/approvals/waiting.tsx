import { useTranslate } from 'react-admin';
import { useReading } from '../parts/reading';
import { WaitingSection } from '../parts/waiting';
import { api } from '../server/api';

const ROWS = 5;

/** What has waited longest for a decision. */
export function WaitingApprovals() {
  const translate = useTranslate();
  const { data, error } = useReading(['waiting-approvals'], (signal) =>
    api.get('/approvals/1.0.0/approvals', { query: { limit: ROWS }, signal }),
  );
  return (
    <WaitingSection
      title={translate('resources.approvals.name', { smart_count: 2 })}
      none={translate('approvals.none')}
      all="/approvals"
      error={error}
      hasMore={typeof data?.nextCursor === 'string'}
      first={data?.data.map(({ approvalId, kind, title, waitingSince }) => ({
        id: approvalId,
        what: `${translate(`approvals.kinds.${kind}`)}: ${title}`,
        since: waitingSince,
        to: `/approvals?kind=${kind}`,
      }))}
    />
  );
}
