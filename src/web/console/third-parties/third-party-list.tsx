import AddIcon from '@mui/icons-material/Add';
import { Button } from '@mui/material';
import { SelectInput, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { useScope } from '../session/scope';
import { STATUS_TONES, type ThirdParty, useTenants } from './third-party';

/** All third-party providers, or those that serve the tenant chosen at the top. */
export default function ThirdPartyList() {
  const translate = useTranslate();
  const { tenantId } = useScope();
  const { names } = useTenants();
  const columns: Column<ThirdParty>[] = [
    { label: 'thirdParties.name', of: ({ name }) => name },
    { label: 'thirdParties.status', of: ({ status }) => <State of={status} /> },
    { label: 'thirdParties.profile', of: ({ profile }) => translate(`thirdParties.profiles.${profile}`) },
    {
      label: 'thirdParties.tenants',
      of: ({ tenantIds }) => tenantIds.map((id) => names.get(id) ?? id).join(', '),
    },
    { label: 'thirdParties.certificateUntil', of: ({ certificateExpiresAt: at }) => <Instant at={at} date /> },
    { label: 'thirdParties.created', of: ({ createdAt }) => <Instant at={createdAt} date />, wide: true },
  ];
  const statuses = Object.keys(STATUS_TONES).map((id) => ({ id, name: `thirdParties.statuses.${id}` }));
  const tenants = [...names].map(([id, name]) => ({ id, name }));
  return (
    <ListPage<ThirdParty>
      columns={columns}
      filterDefaults={tenantId ? { tenantId } : undefined}
      filters={[
        <SelectInput key="status" source="status" label="thirdParties.status" choices={statuses} alwaysOn />,
        <SelectInput
          key="tenantId"
          source="tenantId"
          label="thirdParties.tenant"
          choices={tenants}
          translateChoice={false}
          alwaysOn
        />,
      ]}
      acts={
        <Button size="small" component={Link} to="/third-parties/create" startIcon={<AddIcon />}>
          {translate('thirdParties.create')}
        </Button>
      }
    />
  );
}

/** Whether it may call us, in words. */
export function State({ of }: { of: ThirdParty['status'] }) {
  const translate = useTranslate();
  return <Status value={of} label={translate(`thirdParties.statuses.${of}`)} tone={STATUS_TONES[of]} />;
}
