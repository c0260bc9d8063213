import { useState } from 'react';
import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Input } from '../parts/input';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { api } from '../server/api';
import type { BankAccount } from './transfer';

export default function AccountList() {
  const columns: Column<BankAccount>[] = [
    { label: 'bankTransfers.holder', of: ({ holder }) => holder },
    { label: 'bankTransfers.fields.iban', of: ({ iban }) => <code>{iban}</code> },
    { label: 'bankTransfers.currency', of: ({ currency }) => currency },
    { label: 'bankTransfers.bankName', of: ({ bankName }) => bankName, wide: true },
    {
      label: 'bankTransfers.status',
      of: ({ status }) => <Status value={`bank_${status}`} tone={status === 'active' ? 'good' : 'plain'} />,
    },
    { label: 'bankTransfers.accounts.change', of: (account) => <Save account={account} /> },
  ];
  return <ListPage<BankAccount> columns={columns} to={false} acts={<Save />} />;
}

/** A new account, or one that is closed or opened again. */
function Save({ account }: { account?: BankAccount }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [fields, setFields] = useState({ iban: '', holder: '', currency: 'EUR', bic: '', bankName: '' });
  const set = (name: keyof typeof fields) => (value: string) => setFields({ ...fields, [name]: value });
  const kept = account && {
    iban: account.iban,
    holder: account.holder,
    currency: account.currency,
    ...(account.bic && { bic: account.bic }),
    ...(account.bankName && { bankName: account.bankName }),
    ...(account.csv && { csv: account.csv }),
    status: account.status === 'active' ? ('closed' as const) : ('active' as const),
  };
  const { bic, bankName, ...required } = fields;
  const body = kept ?? { ...required, ...(bic && { bic }), ...(bankName && { bankName }) };
  const what = account ? (account.status === 'active' ? 'close' : 'open') : 'add';
  return (
    <Act
      id={`bank-account/${account?.accountId ?? 'new'}`}
      label={translate(`bankTransfers.accounts.${what}`)}
      question={translate(`bankTransfers.accounts.${what}Question`, { iban: account?.iban ?? '' })}
      variant={account ? 'outlined' : 'contained'}
      values={body}
      send={() => api.put('/bank-transfer/1.0.0/accounts', { body: body as never })}
      onDone={refresh}
    >
      {!account && (
        <>
          <Input
            label={translate('bankTransfers.holder')}
            value={fields.holder}
            onChange={set('holder')}
            required
            autoFocus
          />
          <Input label="IBAN" value={fields.iban} onChange={set('iban')} required />
          <Input label="BIC" value={bic} onChange={set('bic')} />
          <Input label={translate('bankTransfers.bankName')} value={bankName} onChange={set('bankName')} />
          <Input
            label={translate('bankTransfers.currency')}
            value={fields.currency}
            onChange={set('currency')}
            required
          />
        </>
      )}
    </Act>
  );
}
