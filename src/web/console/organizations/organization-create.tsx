import { useState } from 'react';
import { useRedirect, useTranslate } from 'react-admin';
import { FormPage } from '../parts/form-page';
import { Input } from '../parts/input';
import { api } from '../server/api';

const NOTHING = { businessName: '', contactName: '', contactEmail: '', contactPhone: '', country: '', currencies: '' };

/** A new merchant. Its technical contact gets an invitation by e-mail. */
export default function OrganizationCreate() {
  const translate = useTranslate();
  const redirect = useRedirect();
  const [values, setValues] = useState(NOTHING);
  const input = (name: keyof typeof NOTHING) => ({
    label: translate(`organizations.${name}`),
    value: values[name],
    onChange: (value: string) => setValues((now) => ({ ...now, [name]: value })),
  });
  const { businessName, contactName, contactEmail, contactPhone, country, currencies } = values;
  return (
    <FormPage
      title={translate('organizations.create')}
      id="create/organization"
      label={translate('organizations.create')}
      intro={translate('organizations.createIntro')}
      values={values}
      send={({ idempotencyKey }) =>
        api.post('/onboarding/1.0.0/merchants', {
          body: {
            businessName,
            technicalContact: {
              name: contactName,
              email: contactEmail,
              ...(contactPhone && { phone: contactPhone }),
            },
            ...(country && { country: country.toUpperCase() }),
            ...(currencies && {
              currencies: currencies
                .toUpperCase()
                .split(/[\s,]+/)
                .filter(Boolean),
            }),
          },
          idempotencyKey,
        })
      }
      onDone={({ organizationId }) => redirect(`/organizations/${organizationId}/show`)}
    >
      <Input {...input('businessName')} required />
      <Input {...input('contactName')} required />
      <Input {...input('contactEmail')} type="email" required />
      <Input {...input('contactPhone')} type="tel" />
      <Input {...input('country')} helperText={translate('organizations.countryHelp')} />
      <Input {...input('currencies')} helperText={translate('organizations.currenciesHelp')} />
    </FormPage>
  );
}
