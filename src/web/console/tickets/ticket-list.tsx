import { SelectInput, TextInput } from 'react-admin';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { TICKET_TONES, type Ticket } from './ticket';

const COLUMNS: Column<Ticket>[] = [
  { label: 'tickets.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
  {
    label: 'tickets.status',
    of: ({ status }) => <Status value={`ticket_${status}`} tone={TICKET_TONES[status]} />,
  },
  { label: 'tickets.link', of: ({ linkId }) => <code>{linkId}</code> },
  { label: 'tickets.updated', of: ({ updatedAt }) => <Instant at={updatedAt} /> },
];

export default function TicketList() {
  const statuses = Object.keys(TICKET_TONES).map((id) => ({ id, name: `status.ticket_${id}` }));
  return (
    <ListPage<Ticket>
      columns={COLUMNS}
      filters={[
        <SelectInput key="status" source="status" label="tickets.status" choices={statuses} alwaysOn />,
        <TextInput key="linkId" source="linkId" label="tickets.link" />,
      ]}
    />
  );
}
