import AddIcon from '@mui/icons-material/Add';
import { Button } from '@mui/material';
import { SelectInput, TextInput, usePermissions, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import type { Person } from '../session/session';
import { ITEM_TONES, type Item } from './item';

const COLUMNS: Column<Item>[] = [
  { label: 'items.name', of: ({ name }) => name },
  { label: 'items.sku', of: ({ sku }) => <code>{sku}</code> },
  { label: 'items.status', of: ({ status }) => <Status value={status} tone={ITEM_TONES[status]} /> },
  { label: 'items.price', of: ({ price, currency }) => <Amount amount={price} currency={currency} />, end: true },
  { label: 'items.available', of: ({ available }) => available, end: true },
  { label: 'items.reserved', of: ({ reserved }) => reserved, end: true, wide: true },
  { label: 'items.updated', of: ({ updatedAt }) => <Instant at={updatedAt} />, wide: true },
];

export default function ItemList() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const statuses = Object.keys(ITEM_TONES).map((id) => ({ id, name: `status.${id}` }));
  return (
    <ListPage<Item>
      columns={COLUMNS}
      filters={[
        <TextInput key="search" source="search" label="items.search" alwaysOn resettable />,
        <SelectInput key="status" source="status" label="items.status" choices={statuses} alwaysOn />,
        <TextInput key="currency" source="currency" label="items.currency" />,
      ]}
      acts={
        person?.role === 'merchant' && (
          <Button size="small" component={Link} to="/items/create" startIcon={<AddIcon />} variant="contained">
            {translate('items.add')}
          </Button>
        )
      }
    />
  );
}
