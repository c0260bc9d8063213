import { SelectInput, TextInput, usePermissions, useTranslate } from 'react-admin';
import { Amount } from '../parts/amount';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import type { Person } from '../session/session';
import { Balance } from './balance';
import { BankFile } from './bank-file';
import { PAYOUT_TONES, type Payout } from './payout';

export default function PayoutList() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const columns: Column<Payout>[] = [
    { label: 'payouts.number', of: ({ number }) => translate('payouts.title', { number }) },
    {
      label: 'payouts.amount',
      of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
      end: true,
    },
    { label: 'payouts.status', of: ({ status }) => <Status value={status} tone={PAYOUT_TONES[status]} /> },
    { label: 'payouts.origin', of: ({ origin }) => translate(`payouts.origins.${origin}`) },
    { label: 'payouts.detail', of: ({ detail }) => detail, wide: true },
    { label: 'payouts.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
  ];
  const statuses = Object.keys(PAYOUT_TONES).map((id) => ({ id, name: `status.${id}` }));
  const origins = ['on_demand', 'schedule'].map((id) => ({ id, name: `payouts.origins.${id}` }));
  return (
    <ListPage<Payout>
      columns={columns}
      filters={[
        <SelectInput key="status" source="status" label="payouts.status" choices={statuses} alwaysOn />,
        <TextInput key="currency" source="currency" label="payouts.currency" alwaysOn resettable />,
        <SelectInput key="origin" source="origin" label="payouts.origin" choices={origins} />,
      ]}
      acts={person?.role === 'tenant_admin' && <BankFile />}
      aside={<Balance />}
    />
  );
}
