import { useState } from 'react';
import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Input } from '../parts/input';
import { api, type BodyOf } from '../server/api';
import type { Customer } from './customer';

type Patch = BodyOf<'/customer/1.0.0/update/{customerId}', 'put'>;

const FIELDS = [
  'customerName',
  'ownId',
  'firstName',
  'lastName',
  'email',
  'phone',
  'dateOfBirth',
  'nationality',
] as const;
type Field = (typeof FIELDS)[number];

const TYPES: Partial<Record<Field, string>> = { email: 'email', phone: 'tel', dateOfBirth: 'date' };

/** The record is corrected. Only what was touched is sent: what the customer changes meanwhile stays. */
export function ChangeRecord({ customer }: { customer: Customer }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [touched, setTouched] = useState<Partial<Record<Field, string>>>({});
  const { customerId, customerName, customerType } = customer;
  const isPerson = customerType === 'Person';
  const needed: Partial<Record<Field, boolean>> = {
    customerName: true,
    firstName: isPerson,
    lastName: isPerson,
    email: isPerson,
  };
  const before = textsOf(customer);
  return (
    <Act
      id={`change/${customerId}`}
      label={translate('customers.change.act')}
      question={translate('customers.change.question', { name: customerName })}
      values={touched}
      send={() => {
        const body = patchOf(customer, before, touched);
        if (Object.keys(body).length === 0) throw new Error(translate('customers.change.nothing'));
        return api.put('/customer/1.0.0/update/{customerId}', { path: { customerId }, body });
      }}
      outcomeOf={() => ({ state: 'done', text: translate('customers.change.done') })}
      onDone={() => {
        setTouched({});
        refresh();
      }}
    >
      {FIELDS.map((name) => (
        <Input
          key={name}
          label={translate(`customers.change.${name}`)}
          value={touched[name] ?? before[name]}
          onChange={(value) => setTouched((now) => ({ ...now, [name]: value }))}
          type={TYPES[name]}
          required={needed[name]}
        />
      ))}
    </Act>
  );
}

function textsOf({ customerName = '', ownId, person }: Customer): Record<Field, string> {
  return {
    customerName,
    ownId: ownId ?? '',
    firstName: person?.firstName?.name ?? '',
    lastName: person?.lastName?.name ?? '',
    email: person?.email ?? '',
    phone: person?.telephoneNumbers?.[0]?.number ?? '',
    dateOfBirth: person?.dateOfBirth ?? '',
    nationality: person?.nationality ?? '',
  };
}

/** What has changed, as the API merges it: `null` clears a member; a list is sent whole. */
function patchOf({ person }: Customer, before: Record<Field, string>, touched: Partial<Record<Field, string>>): Patch {
  const entries = Object.entries(touched).map(([name, value]) => [name, value.trim()] as [Field, string]);
  const changed = new Map(entries.filter(([name, value]) => value !== before[name]));
  const member = (name: Field) => (changed.has(name) ? { [name]: changed.get(name) || null } : {});
  const named = (name: Field) => (changed.has(name) ? { [name]: { name: changed.get(name) } } : {});
  const [first, ...others] = person?.telephoneNumbers ?? [];
  const phone = changed.get('phone');
  const inPerson = {
    ...named('firstName'),
    ...named('lastName'),
    ...member('email'),
    ...member('dateOfBirth'),
    ...member('nationality'),
    ...(phone !== undefined && { telephoneNumbers: [...(phone ? [{ ...first, number: phone }] : []), ...others] }),
  };
  return {
    ...member('customerName'),
    ...(changed.has('ownId') && { id: changed.get('ownId') || null }),
    ...(Object.keys(inPerson).length > 0 && { person: inPerson }),
  } as Patch;
}
