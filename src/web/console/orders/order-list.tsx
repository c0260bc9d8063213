import AddIcon from '@mui/icons-material/Add';
import { Button } from '@mui/material';
import { NullableBooleanInput, SelectInput, TextInput, usePermissions, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import type { Person } from '../session/session';
import { ORDER_TONES, type Order } from './order';

const COLUMNS: Column<Order>[] = [
  { label: 'orders.reference', of: ({ reference, orderId }) => reference ?? <code>{orderId}</code> },
  { label: 'orders.total', of: ({ total, currency }) => <Amount amount={total} currency={currency} />, end: true },
  { label: 'orders.status', of: ({ status }) => <Status value={status} tone={ORDER_TONES[status]} /> },
  { label: 'orders.content', of: ({ lines }) => lines.map(({ description }) => description).join(', '), wide: true },
  { label: 'orders.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

export default function OrderList() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const statuses = Object.keys(ORDER_TONES).map((id) => ({ id, name: `status.${id}` }));
  return (
    <ListPage<Order>
      columns={COLUMNS}
      filters={[
        <SelectInput key="status" source="status" label="orders.status" choices={statuses} alwaysOn />,
        <TextInput key="reference" source="reference" label="orders.reference" alwaysOn resettable />,
        <NullableBooleanInput key="review" source="review" label="orders.review" />,
      ]}
      acts={
        person?.role === 'merchant' && (
          <Button size="small" component={Link} to="/orders/create" startIcon={<AddIcon />} variant="contained">
            {translate('orders.add')}
          </Button>
        )
      }
    />
  );
}
