import AddIcon from '@mui/icons-material/Add';
import { Button } from '@mui/material';
import { SelectInput, usePermissions, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import type { Person } from '../session/session';
import { TRANSFER_TONES, type Transfer } from './transfer';

const COLUMNS: Column<Transfer>[] = [
  { label: 'bankTransfers.id', of: ({ merchantTransactionId }) => merchantTransactionId },
  {
    label: 'bankTransfers.amount',
    of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
    end: true,
  },
  {
    label: 'bankTransfers.missing',
    of: ({ missing, currency }) => <Amount amount={missing} currency={currency} />,
    end: true,
  },
  {
    label: 'bankTransfers.status',
    of: ({ transactionStatus }) => <Status value={transactionStatus} tone={TRANSFER_TONES[transactionStatus]} />,
  },
  {
    label: 'bankTransfers.reference',
    of: ({ printedReference, reference }) => printedReference ?? reference,
    wide: true,
  },
  { label: 'bankTransfers.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

export default function TransferList() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const statuses = ['open', 'paid', 'closed'].map((id) => ({ id, name: `bankTransfers.statuses.${id}` }));
  return (
    <ListPage<Transfer>
      columns={COLUMNS}
      filters={[<SelectInput key="status" source="status" label="bankTransfers.status" choices={statuses} alwaysOn />]}
      acts={
        person?.role === 'merchant' && (
          <Button size="small" component={Link} to="/bank-transfers/create" startIcon={<AddIcon />} variant="contained">
            {translate('bankTransfers.add')}
          </Button>
        )
      }
    />
  );
}
