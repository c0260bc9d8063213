import { SelectInput, TextInput } from 'react-admin';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { type Notification, STATE_TONES } from './notification';
import { SendPing } from './ping';

const COLUMNS: Column<Notification>[] = [
  { label: 'notifications.type', of: ({ type }) => type },
  { label: 'notifications.state', of: ({ state }) => <Status value={state} tone={STATE_TONES[state]} /> },
  { label: 'notifications.url', of: ({ url }) => url },
  { label: 'notifications.tries', of: ({ attempts }) => attempts.length, end: true },
  { label: 'notifications.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

export default function NotificationList() {
  const states = Object.keys(STATE_TONES).map((id) => ({ id, name: `status.${id}` }));
  return (
    <ListPage<Notification>
      columns={COLUMNS}
      acts={<SendPing />}
      filters={[
        <SelectInput key="state" source="state" label="notifications.state" choices={states} alwaysOn />,
        <TextInput key="subjectId" source="subjectId" label="notifications.subject" alwaysOn />,
        <TextInput key="type" source="type" label="notifications.type" />,
      ]}
    />
  );
}
