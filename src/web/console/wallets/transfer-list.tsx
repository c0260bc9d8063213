import { SelectInput, TextInput } from 'react-admin';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { choicesOf, TRANSFER_TONES, type Transfer } from './wallet';

const COLUMNS: Column<Transfer>[] = [
  { label: 'wallets.amount', of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />, end: true },
  { label: 'wallets.status', of: ({ status }) => <Status value={status} tone={TRANSFER_TONES[status]} /> },
  { label: 'wallets.sender', of: ({ senderId }) => senderId },
  { label: 'wallets.recipient', of: ({ recipient }) => recipient },
  { label: 'wallets.note', of: ({ note }) => note },
  { label: 'wallets.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

export default function TransferList() {
  const directions = ['sent', 'received'].map((id) => ({ id, name: `wallets.${id}` }));
  return (
    <ListPage<Transfer>
      columns={COLUMNS}
      filters={[
        <SelectInput
          key="status"
          source="status"
          label="wallets.status"
          choices={choicesOf(TRANSFER_TONES)}
          alwaysOn
        />,
        <TextInput key="customerId" source="customerId" label="wallets.customer" alwaysOn />,
        <SelectInput key="direction" source="direction" label="wallets.direction" choices={directions} />,
        <TextInput key="currency" source="currency" label="wallets.currency" />,
        <TextInput key="scheduleId" source="scheduleId" label="wallets.schedule" />,
      ]}
    />
  );
}
