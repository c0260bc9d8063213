import AddIcon from '@mui/icons-material/Add';
import { Button } from '@mui/material';
import { SelectInput, TextInput, usePermissions, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import type { Person } from '../session/session';
import { CUSTOMER_STATUSES, CUSTOMER_TONES, type Customer } from './customer';

const COLUMNS: Column<Customer>[] = [
  { label: 'customers.name', of: ({ customerName }) => customerName },
  {
    label: 'customers.status',
    of: ({ customerStatus = 'new' }) => <Status value={customerStatus} tone={CUSTOMER_TONES[customerStatus]} />,
  },
  { label: 'customers.ownId', of: ({ ownId }) => ownId },
  { label: 'customers.email', of: ({ person }) => person?.email },
  { label: 'customers.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

export default function CustomerList() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const statuses = CUSTOMER_STATUSES.map((id) => ({ id, name: `status.${id}` }));
  const types = ['Person', 'Organization'].map((id) => ({ id, name: `customers.types.${id}` }));
  return (
    <ListPage<Customer>
      columns={COLUMNS}
      acts={
        person?.role === 'tenant_admin' && (
          <Button size="small" component={Link} to="/customers/create" startIcon={<AddIcon />}>
            {translate('customers.create.act')}
          </Button>
        )
      }
      filters={[
        <TextInput
          key="search"
          source="search"
          label="customers.search"
          helperText="customers.searchHelp"
          alwaysOn
          resettable
          sx={{ minWidth: { sm: 320 } }}
        />,
        <SelectInput key="status" source="status" label="customers.status" choices={statuses} alwaysOn />,
        <SelectInput key="customerType" source="customerType" label="customers.type" choices={types} />,
      ]}
    />
  );
}
