import { useTranslate } from 'react-admin';
import { useReading } from '../parts/reading';
import { WaitingSection } from '../parts/waiting';
import { api } from '../server/api';
import { pageOf } from './work';

const ROWS = 5;

/** What has needed a person for the longest time. */
export function WaitingWork() {
  const translate = useTranslate();
  const { data, error } = useReading(['waiting-work'], (signal) =>
    api.get('/ops/1.0.0/worklist', { query: { limit: ROWS }, signal }),
  );
  return (
    <WaitingSection
      title={translate('resources.worklist.name', { smart_count: 2 })}
      none={translate('operations.nothingWaits')}
      all="/worklist"
      error={error}
      hasMore={typeof data?.nextCursor === 'string'}
      first={data?.data.map((work) => ({
        id: `${work.kind}/${work.objectId}`,
        what: `${translate(`operations.kinds.${work.kind}`)} ${work.objectId}`,
        since: work.since,
        to: pageOf(work) ?? '/worklist',
      }))}
    />
  );
}
