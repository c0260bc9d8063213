import { SelectInput } from 'react-admin';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { ACTIVATION_TONES, type Activation } from './organization';

const COLUMNS: Column<Activation>[] = [
  { label: 'organizations.organization', of: ({ organizationId }) => organizationId },
  { label: 'organizations.number', of: ({ number }) => number },
  { label: 'organizations.state', of: ({ status }) => <Status value={status} tone={ACTIVATION_TONES[status]} /> },
  { label: 'organizations.reason', of: ({ reason }) => reason },
  { label: 'organizations.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

/** Applications of the tenant's merchants to go live. Operators decide about them. */
export default function ActivationList() {
  const statuses = Object.keys(ACTIVATION_TONES).map((id) => ({ id, name: `status.${id}` }));
  return (
    <ListPage<Activation>
      columns={COLUMNS}
      to={({ organizationId }) => `/organizations/${organizationId}/show`}
      filters={[<SelectInput key="status" source="status" label="organizations.state" choices={statuses} alwaysOn />]}
    />
  );
}
