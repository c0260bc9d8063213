import { SelectInput, TextInput } from 'react-admin';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { type Payment, STATUS_TONES } from './payment';

const COLUMNS: Column<Payment>[] = [
  { label: 'payments.merchantTransactionId', of: ({ merchantTransactionId }) => merchantTransactionId },
  { label: 'payments.amount', of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />, end: true },
  {
    label: 'payments.status',
    of: ({ transactionStatus }) => <Status value={transactionStatus} tone={STATUS_TONES[transactionStatus]} />,
  },
  { label: 'payments.method', of: ({ paymentBrand }) => paymentBrand },
  { label: 'payments.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

export default function PaymentList() {
  const statuses = Object.keys(STATUS_TONES).map((id) => ({ id, name: `status.${id}` }));
  return (
    <ListPage<Payment>
      columns={COLUMNS}
      filters={[
        <SelectInput key="status" source="status" label="payments.status" choices={statuses} alwaysOn />,
        <TextInput key="orderId" source="orderId" label="payments.orderId" />,
      ]}
    />
  );
}
