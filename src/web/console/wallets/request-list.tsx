import { SelectInput, TextInput } from 'react-admin';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { ToCustomer } from './to-customer';
import { choicesOf, type MoneyRequest, REQUEST_TONES } from './wallet';

const COLUMNS: Column<MoneyRequest>[] = [
  { label: 'wallets.amount', of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />, end: true },
  { label: 'wallets.status', of: ({ status }) => <Status value={status} tone={REQUEST_TONES[status]} /> },
  { label: 'wallets.requester', of: ({ requesterId }) => <ToCustomer id={requesterId} /> },
  { label: 'wallets.payer', of: ({ payerId, payer }) => <ToCustomer id={payerId} text={payer} /> },
  { label: 'wallets.note', of: ({ note }) => note },
  { label: 'wallets.expires', of: ({ expiresAt }) => <Instant at={expiresAt} /> },
];

/** Who asked whom for money. */
export default function RequestList() {
  return (
    <ListPage<MoneyRequest>
      columns={COLUMNS}
      to={false}
      filters={[
        <SelectInput key="status" source="status" label="wallets.status" choices={choicesOf(REQUEST_TONES)} alwaysOn />,
        <TextInput key="customerId" source="customerId" label="wallets.customer" alwaysOn />,
      ]}
    />
  );
}
