import AddIcon from '@mui/icons-material/Add';
import { Button } from '@mui/material';
import { SelectInput, TextInput, usePermissions, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import type { Person } from '../session/session';
import { Asks } from './asks';
import { LINK_TONES, type PaymentLink } from './link';

const COLUMNS: Column<PaymentLink>[] = [
  { label: 'links.title', of: ({ title }) => title },
  { label: 'links.asks', of: (link) => <Asks link={link} /> },
  { label: 'links.status', of: ({ status }) => <Status value={status} tone={LINK_TONES[status]} /> },
  { label: 'links.reference', of: ({ reference }) => reference, wide: true },
  { label: 'links.expires', of: ({ expiresAt }) => <Instant at={expiresAt} /> },
  { label: 'links.created', of: ({ createdAt }) => <Instant at={createdAt} />, wide: true },
];

export default function LinkList() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const statuses = Object.keys(LINK_TONES).map((id) => ({ id, name: `status.${id}` }));
  const purposes = ['payment', 'topup'].map((id) => ({ id, name: `links.purposes.${id}` }));
  return (
    <ListPage<PaymentLink>
      columns={COLUMNS}
      filters={[
        <SelectInput key="status" source="status" label="links.status" choices={statuses} alwaysOn />,
        <TextInput key="reference" source="reference" label="links.reference" alwaysOn resettable />,
        <SelectInput key="purpose" source="purpose" label="links.purpose" choices={purposes} />,
        <TextInput key="orderId" source="orderId" label="links.orderId" />,
      ]}
      acts={
        person?.role === 'merchant' && (
          <Button size="small" component={Link} to="/links/create" startIcon={<AddIcon />} variant="contained">
            {translate('links.add')}
          </Button>
        )
      }
    />
  );
}
