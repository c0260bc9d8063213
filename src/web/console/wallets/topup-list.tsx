import { SelectInput, TextInput } from 'react-admin';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { choicesOf, TOPUP_TONES, type Topup } from './wallet';

const COLUMNS: Column<Topup>[] = [
  { label: 'wallets.amount', of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />, end: true },
  { label: 'wallets.fee', of: ({ fee, currency }) => <Amount amount={fee} currency={currency} />, end: true },
  { label: 'wallets.status', of: ({ status }) => <Status value={status} tone={TOPUP_TONES[status]} /> },
  { label: 'wallets.customer', of: ({ customerId }) => customerId },
  { label: 'wallets.card', of: ({ paymentBrand, card }) => `${paymentBrand} ••••${card.last4Digits}` },
  { label: 'wallets.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

export default function TopupList() {
  return (
    <ListPage<Topup>
      columns={COLUMNS}
      filters={[
        <SelectInput key="status" source="status" label="wallets.status" choices={choicesOf(TOPUP_TONES)} alwaysOn />,
        <TextInput key="customerId" source="customerId" label="wallets.customer" alwaysOn />,
        <TextInput key="currency" source="currency" label="wallets.currency" />,
        <TextInput key="linkId" source="linkId" label="wallets.link" />,
      ]}
    />
  );
}
