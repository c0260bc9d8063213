import AddIcon from '@mui/icons-material/Add';
import { Button } from '@mui/material';
import { usePermissions, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import type { Person } from '../session/session';
import { ENDPOINT_TONES, type Endpoint } from './endpoint';

const COLUMNS: Column<Endpoint>[] = [
  { label: 'endpoints.url', of: ({ url }) => url },
  { label: 'endpoints.status', of: ({ status }) => <Status value={status} tone={ENDPOINT_TONES[status]} /> },
  { label: 'endpoints.events', of: ({ events }) => <Events events={events} /> },
  { label: 'endpoints.description', of: ({ description }) => description },
  { label: 'endpoints.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

/** The servers that hear of what happens to the organization. */
export default function EndpointList() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  return (
    <ListPage<Endpoint>
      columns={COLUMNS}
      acts={
        person?.role !== 'ops' && (
          <Button size="small" component={Link} to="/endpoints/create" startIcon={<AddIcon />}>
            {translate('endpoints.create')}
          </Button>
        )
      }
    />
  );
}

export function Events({ events }: Pick<Endpoint, 'events'>) {
  const translate = useTranslate();
  return events.length === 0 ? translate('endpoints.everything') : events.join(', ');
}
