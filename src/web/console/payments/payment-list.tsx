import { regex, SelectArrayInput, SelectInput, TextInput } from 'react-admin';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { InstantFilter } from '../parts/instant-filter';
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
  {
    label: 'payments.method',
    of: ({ paymentBrand, card }) => (card ? `${paymentBrand} •••• ${card.last4Digits}` : paymentBrand),
  },
  { label: 'payments.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

const KINDS = ['card', 'wallet', 'upi', 'qr', 'bank_transfer', 'direct_debit', 'apm', 'crypto', 'hosted_page'];

const FOUR_DIGITS = regex(/^\d{4}$/, 'payments.fourDigits');

/** Nothing is asked of the API before the filter says all that it needs. */
function withCurrency(amount: string | undefined, { currency }: { currency?: string }): string | undefined {
  if (!amount) return undefined;
  return currency && /^\d+(\.\d+)?$/.test(amount) ? undefined : 'payments.needsCurrency';
}

/** In the address the statuses stand as the API wants them: one text with commas. */
const together = (chosen: string[] | '') => (chosen && chosen.length > 0 ? chosen.join(',') : '');
const apart = (text: string | undefined) => (text ? text.split(',') : []);

export default function PaymentList() {
  const statuses = Object.keys(STATUS_TONES).map((id) => ({ id, name: `status.${id}` }));
  const kinds = KINDS.map((id) => ({ id, name: `payments.kinds.${id}` }));
  const small = { maxLength: 4, inputMode: 'numeric' } as const;
  return (
    <ListPage<Payment>
      columns={COLUMNS}
      filters={[
        <TextInput key="search" source="search" label="payments.search" resettable alwaysOn />,
        <TextInput
          key="lastFour"
          source="lastFour"
          label="payments.lastFour"
          slotProps={{ htmlInput: small }}
          validate={FOUR_DIGITS}
          alwaysOn
        />,
        <SelectArrayInput
          key="status"
          source="status"
          label="payments.status"
          choices={statuses}
          parse={together}
          format={apart}
          alwaysOn
        />,
        <SelectInput key="kind" source="kind" label="payments.kind" choices={kinds} />,
        <TextInput key="currency" source="currency" label="payments.currency" />,
        <TextInput key="amount" source="amount" label="payments.amount" validate={withCurrency} />,
        <TextInput key="minAmount" source="minAmount" label="payments.minAmount" validate={withCurrency} />,
        <TextInput key="maxAmount" source="maxAmount" label="payments.maxAmount" validate={withCurrency} />,
        <InstantFilter key="from" source="from" label="payments.from" />,
        <InstantFilter key="to" source="to" label="payments.to" />,
        <TextInput key="orderId" source="orderId" label="payments.orderId" />,
        <TextInput key="linkId" source="linkId" label="payments.linkId" />,
      ]}
    />
  );
}
