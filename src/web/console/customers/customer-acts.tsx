import { FormControlLabel, Switch } from '@mui/material';
import { useState } from 'react';
import { useRedirect, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { ChoiceInput, Input } from '../parts/input';
import { api } from '../server/api';
import { CUSTOMER_STATUSES, type Customer, type CustomerStatus } from './customer';

/** What may be done with a customer as a whole. */
export function CustomerActs({ customer }: { customer: Customer }) {
  return (
    <>
      <ChangeStatus customer={customer} />
      <SignOut customer={customer} />
      <Erase customer={customer} />
    </>
  );
}

function ChangeStatus({ customer: { customerId, customerName, customerStatus } }: { customer: Customer }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [to, setTo] = useState<CustomerStatus | ''>('');
  const [reason, setReason] = useState('');
  const [override, setOverride] = useState(false);
  const values = { to, reason, override };
  return (
    <Act
      id={`status/${customerId}`}
      label={translate('customers.statusChange.act')}
      question={translate('customers.statusChange.question', { name: customerName })}
      values={values}
      send={({ idempotencyKey }) =>
        api.post('/customer/1.0.0/status/{customerId}', {
          path: { customerId },
          body: { customerStatus: to as CustomerStatus, reason, ...(override && { override }) },
          idempotencyKey,
        })
      }
      outcomeOf={({ customerStatus: now }) => ({
        state: 'done',
        text: translate('customers.statusChange.done', { name: customerName, status: translate(`status.${now}`) }),
      })}
      onDone={() => {
        setReason('');
        refresh();
      }}
    >
      <ChoiceInput
        label={translate('customers.statusChange.to')}
        value={to}
        onChange={(value) => setTo(value as CustomerStatus)}
        required
        choices={CUSTOMER_STATUSES.filter((status) => status !== customerStatus).map((id) => ({
          id,
          name: translate(`status.${id}`),
        }))}
      />
      <Input
        label={translate('console.act.reason')}
        helperText={translate('console.act.reasonHelp')}
        value={reason}
        onChange={setReason}
        required
        multiline
      />
      {to === 'verified' && customerStatus === 'under_verificaiton' && (
        <FormControlLabel
          control={<Switch checked={override} onChange={(_, isOn) => setOverride(isOn)} />}
          label={translate('customers.statusChange.override')}
        />
      )}
    </Act>
  );
}

function SignOut({ customer: { customerId, customerName } }: { customer: Customer }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  return (
    <Act
      id={`sign-out/${customerId}`}
      label={translate('customers.signOut.act')}
      question={translate('customers.signOut.question', { name: customerName })}
      send={() => api.delete('/customer/1.0.0/{customerId}/tokens', { path: { customerId } })}
      outcomeOf={() => ({ state: 'done', text: translate('customers.signOut.done', { name: customerName }) })}
      onDone={refresh}
    />
  );
}

function Erase({ customer: { customerId, customerName } }: { customer: Customer }) {
  const translate = useTranslate();
  const redirect = useRedirect();
  const [name, setName] = useState('');
  return (
    <Act
      id={`erase/${customerId}`}
      label={translate('customers.erase.act')}
      color="error"
      question={translate('customers.erase.question', { name: customerName })}
      values={name}
      send={async () => {
        // A slip must not do what nobody can undo.
        if (name.trim() !== customerName) throw new Error(translate('customers.erase.otherName'));
        return api.delete('/customer/1.0.0/delete/{customerId}', { path: { customerId } });
      }}
      outcomeOf={() => ({ state: 'done', text: translate('customers.erase.done') })}
      onDone={() => redirect('/customers')}
    >
      <Input label={translate('customers.erase.name')} value={name} onChange={setName} required />
    </Act>
  );
}
