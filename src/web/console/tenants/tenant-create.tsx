import { useState } from 'react';
import { useRedirect, useTranslate } from 'react-admin';
import { FormPage } from '../parts/form-page';
import { Input } from '../parts/input';
import { api } from '../server/api';
import { MethodsInput } from './methods-input';
import type { Method } from './tenant';

const NOTHING = { name: '', country: '', currency: '', adminName: '', adminEmail: '', adminPhone: '', reason: '' };

/** A new tenant, proposed: another operator has to confirm it. */
export default function TenantCreate() {
  const translate = useTranslate();
  const redirect = useRedirect();
  const [values, setValues] = useState(NOTHING);
  const [methods, setMethods] = useState<string[]>([]);
  const input = (name: keyof typeof NOTHING) => ({
    label: translate(`tenants.${name}`),
    value: values[name],
    onChange: (value: string) => setValues((now) => ({ ...now, [name]: value })),
  });
  const { name, country, currency, adminName, adminEmail, adminPhone, reason } = values;
  return (
    <FormPage
      title={translate('tenants.create')}
      id="create/tenant"
      label={translate('tenants.propose')}
      intro={translate('tenants.createIntro')}
      values={{ values, methods }}
      send={({ idempotencyKey }) =>
        api.post('/ops/1.0.0/tenants', {
          body: {
            name,
            country: country.trim().toUpperCase(),
            currency: currency.trim().toUpperCase(),
            methods: methods.map(Number) as Method['id'][],
            firstAdmin: { name: adminName, email: adminEmail.trim(), ...(adminPhone && { phone: adminPhone }) },
            reason,
          },
          idempotencyKey,
        })
      }
      onDone={({ tenantId }) => redirect(`/tenants/${tenantId}/show`)}
    >
      <Input {...input('name')} helperText={translate('tenants.nameHelp')} required />
      <Input {...input('country')} helperText={translate('tenants.countryHelp')} required />
      <Input {...input('currency')} helperText={translate('tenants.currencyHelp')} required />
      <MethodsInput values={methods} onChange={setMethods} />
      <Input {...input('adminName')} required />
      <Input {...input('adminEmail')} type="email" helperText={translate('tenants.adminHelp')} required />
      <Input {...input('adminPhone')} type="tel" />
      <Input {...input('reason')} multiline required slotProps={{ htmlInput: { maxLength: 500 } }} />
    </FormPage>
  );
}
