import { useState } from 'react';
import { SelectInput, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Amount, useAmountText } from '../parts/amount';
import { Input } from '../parts/input';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { api } from '../server/api';
import { RETURN_TONES, type Return } from './transfer';

export default function ReturnList() {
  const translate = useTranslate();
  const columns: Column<Return>[] = [
    {
      label: 'bankTransfers.amount',
      of: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
      end: true,
    },
    { label: 'bankTransfers.returned.kind', of: ({ kind }) => translate(`bankTransfers.returned.kinds.${kind}`) },
    {
      label: 'bankTransfers.status',
      of: ({ status }) => <Status value={`return_${status}`} tone={RETURN_TONES[status]} />,
    },
    { label: 'bankTransfers.payerName', of: ({ payerName, payerIban }) => payerName ?? payerIban },
    { label: 'bankTransfers.detail', of: ({ detail }) => detail, wide: true },
    { label: 'bankTransfers.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
    {
      label: 'bankTransfers.returned.account',
      of: (one) => one.status === 'waiting' && <NameAccount one={one} />,
    },
  ];
  const statuses = Object.keys(RETURN_TONES).map((id) => ({ id, name: `status.return_${id}` }));
  return (
    <ListPage<Return>
      columns={columns}
      to={false}
      filters={[<SelectInput key="status" source="status" label="bankTransfers.status" choices={statuses} alwaysOn />]}
    />
  );
}

function NameAccount({ one: { returnId, amount, currency } }: { one: Return }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const say = useAmountText();
  const [iban, setIban] = useState('');
  const [holder, setHolder] = useState('');
  return (
    <Act
      id={`return/${returnId}`}
      label={translate('bankTransfers.returned.name')}
      question={translate('bankTransfers.returned.question', { amount: say(amount, currency), holder, iban })}
      values={{ iban, holder }}
      send={({ idempotencyKey }) =>
        api.post('/bank-transfer/1.0.0/returns/{returnId}/account', {
          path: { returnId },
          body: { iban, holder },
          idempotencyKey,
        })
      }
      onDone={refresh}
    >
      <Input label={translate('bankTransfers.holder')} value={holder} onChange={setHolder} required autoFocus />
      <Input label="IBAN" value={iban} onChange={setIban} required />
    </Act>
  );
}
