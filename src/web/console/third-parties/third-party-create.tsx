import { useState } from 'react';
import { useRedirect, useTranslate } from 'react-admin';
import { FormPage } from '../parts/form-page';
import { Input } from '../parts/input';
import { api } from '../server/api';
import { useScope } from '../session/scope';
import { emptyFields, Fields, useBody } from './third-party-fields';

/** A new third-party provider. */
export default function ThirdPartyCreate() {
  const translate = useTranslate();
  const redirect = useRedirect();
  const { tenantId } = useScope();
  const [values, setValues] = useState(() => emptyFields(tenantId ? [tenantId] : []));
  const [certificate, setCertificate] = useState('');
  const bodyOf = useBody();
  return (
    <FormPage
      title={translate('thirdParties.create')}
      id="create/third-party"
      label={translate('thirdParties.create')}
      intro={translate('thirdParties.createIntro')}
      values={{ values, certificate }}
      send={async ({ idempotencyKey }) => {
        const body = { ...bodyOf(values), certificate };
        return api.post('/onboarding/1.0.0/tpps', { body, idempotencyKey });
      }}
      onDone={({ tppId }) => redirect(`/third-parties/${tppId}/show`)}
    >
      <Fields isNew values={values} onChange={setValues} />
      <CertificateInput value={certificate} onChange={setCertificate} />
    </FormPage>
  );
}

/** A certificate as it stands in its file. */
export function CertificateInput({ value, onChange }: { value: string; onChange(value: string): void }) {
  const translate = useTranslate();
  return (
    <Input
      label={translate('thirdParties.certificatePem')}
      helperText={translate('thirdParties.certificateHelp')}
      value={value}
      onChange={onChange}
      multiline
      minRows={4}
      maxRows={12}
      required
      sx={{ '& textarea': { fontFamily: 'monospace' } }}
    />
  );
}
