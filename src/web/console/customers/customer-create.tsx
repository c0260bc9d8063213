import { useState } from 'react';
import { useRedirect, useTranslate } from 'react-admin';
import { FormPage } from '../parts/form-page';
import { ChoiceInput, Input } from '../parts/input';
import { api, type BodyOf } from '../server/api';

const NOTHING = {
  type: 'Person',
  name: '',
  firstName: '',
  lastName: '',
  email: '',
  phone: '',
  ownId: '',
  start: 'new',
};

/** A new customer. Everything else of the record can be added by the API or by the customer. */
export default function CustomerCreate() {
  const translate = useTranslate();
  const redirect = useRedirect();
  const [values, setValues] = useState(NOTHING);
  const input = (name: keyof typeof NOTHING) => ({
    label: translate(`customers.create.${name}`),
    value: values[name],
    onChange: (value: string) => setValues((now) => ({ ...now, [name]: value })),
  });
  const isPerson = values.type === 'Person';
  return (
    <FormPage
      title={translate('customers.create.act')}
      id="create/customer"
      label={translate('customers.create.act')}
      values={values}
      send={({ idempotencyKey }) =>
        api.post('/customer/1.0.0/create', { body: bodyOf(values, isPerson), idempotencyKey })
      }
      onDone={({ customerId }) => redirect(`/customers/${customerId}/show`)}
    >
      <ChoiceInput
        {...input('type')}
        choices={['Person', 'Organization'].map((id) => ({ id, name: translate(`customers.types.${id}`) }))}
      />
      <Input {...input('name')} required />
      {isPerson && (
        <>
          <Input {...input('firstName')} required />
          <Input {...input('lastName')} required />
        </>
      )}
      <Input {...input('email')} type="email" required={isPerson} />
      <Input {...input('phone')} type="tel" />
      <Input {...input('ownId')} />
      <ChoiceInput
        {...input('start')}
        choices={['new', 'under_verificaiton'].map((id) => ({ id, name: translate(`status.${id}`) }))}
      />
    </FormPage>
  );
}

type Body = BodyOf<'/customer/1.0.0/create', 'post'>;

function bodyOf(values: typeof NOTHING, isPerson: boolean): Body {
  const { type, name, firstName, lastName, email, phone, ownId, start } = values;
  const person = {
    ...(isPerson && { firstName: { name: firstName }, lastName: { name: lastName } }),
    ...(email && { email }),
    ...(phone && { telephoneNumbers: [{ phoneType: 'mobile', number: phone }] }),
  };
  return {
    customerType: type,
    customerName: name,
    customerStatus: start,
    ...(ownId && { id: ownId }),
    ...(Object.keys(person).length > 0 && { person }),
  } as Body;
}
