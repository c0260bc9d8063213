import AddIcon from '@mui/icons-material/Add';
import { Button } from '@mui/material';
import { SelectInput, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { STATUS_TONES, type Tenant } from './tenant';

/** All tenants, those that wait for a second operator too. */
export default function TenantList() {
  const translate = useTranslate();
  const columns: Column<Tenant>[] = [
    { label: 'tenants.name', of: ({ name }) => name },
    { label: 'tenants.status', of: ({ status }) => <Standing of={status} /> },
    { label: 'tenants.country', of: ({ country }) => country },
    { label: 'tenants.currency', of: ({ currency }) => currency },
    { label: 'tenants.created', of: ({ createdAt }) => <Instant at={createdAt} date /> },
  ];
  const statuses = Object.keys(STATUS_TONES).map((id) => ({ id, name: `tenants.statuses.${id}` }));
  return (
    <ListPage<Tenant>
      columns={columns}
      filters={[<SelectInput key="status" source="status" label="tenants.status" choices={statuses} alwaysOn />]}
      acts={
        <Button size="small" component={Link} to="/tenants/create" startIcon={<AddIcon />}>
          {translate('tenants.create')}
        </Button>
      }
    />
  );
}

/** The state of a tenant, in words. */
export function Standing({ of }: { of: Tenant['status'] }) {
  const translate = useTranslate();
  return <Status value={of} label={translate(`tenants.statuses.${of}`)} tone={STATUS_TONES[of]} />;
}
