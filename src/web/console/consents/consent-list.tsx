import { SelectInput, TextInput, useTranslate } from 'react-admin';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { CONSENT_TONES, type Consent, KIND_NAMES } from './consent';

const COLUMNS: Column<Consent>[] = [
  { label: 'consents.provider', of: ({ tppName }) => tppName },
  { label: 'consents.kind', of: ({ kind }) => <Kind of={kind} /> },
  { label: 'consents.status', of: ({ status }) => <Status value={status} tone={CONSENT_TONES[status]} /> },
  { label: 'consents.customer', of: ({ customerId }) => customerId },
  { label: 'consents.authorised', of: ({ authorisedAt }) => <Instant at={authorisedAt} /> },
  { label: 'consents.expires', of: ({ expiresAt }) => <Instant at={expiresAt} /> },
  { label: 'consents.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

/** What customers of the tenant let third parties do. */
export default function ConsentList() {
  const statuses = Object.keys(CONSENT_TONES).map((id) => ({ id, name: `status.${id}` }));
  const kinds = Object.entries(KIND_NAMES).map(([id, name]) => ({ id, name }));
  return (
    <ListPage<Consent>
      columns={COLUMNS}
      filters={[
        <SelectInput key="status" source="status" label="consents.status" choices={statuses} alwaysOn />,
        <SelectInput key="kind" source="kind" label="consents.kind" choices={kinds} alwaysOn />,
        <TextInput key="customerId" source="customerId" label="consents.customer" resettable alwaysOn />,
        <TextInput key="tppId" source="tppId" label="consents.providerId" resettable />,
      ]}
    />
  );
}

function Kind({ of }: { of: Consent['kind'] }) {
  return useTranslate()(KIND_NAMES[of]);
}
