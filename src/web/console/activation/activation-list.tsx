import AddIcon from '@mui/icons-material/Add';
import { Button } from '@mui/material';
import { SelectInput, usePermissions, useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import type { Person } from '../session/session';
import { ACTIVATION_TONES, type ActivationLine } from './activation';

const NUMBER: Column<ActivationLine> = {
  label: 'activations.number',
  of: ({ number }) => <Name number={number} />,
};
const ORGANIZATION: Column<ActivationLine> = {
  label: 'activations.organization',
  of: ({ organizationId }) => organizationId,
};
const COLUMNS: Column<ActivationLine>[] = [
  { label: 'activations.status', of: ({ status }) => <Status value={status} tone={ACTIVATION_TONES[status]} /> },
  { label: 'activations.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
  { label: 'activations.decided', of: ({ decidedAt }) => decidedAt && <Instant at={decidedAt} /> },
  { label: 'activations.reason', of: ({ reason }) => reason },
];

/** Applications to go live, newest first. */
export default function ActivationList() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const states = Object.keys(ACTIVATION_TONES).map((id) => ({ id, name: `status.${id}` }));
  return (
    <ListPage<ActivationLine>
      columns={[NUMBER, ...(person?.role === 'merchant' ? [] : [ORGANIZATION]), ...COLUMNS]}
      acts={
        person?.role !== 'ops' && (
          <Button size="small" component={Link} to="/activations/create" startIcon={<AddIcon />}>
            {translate('activations.apply.act')}
          </Button>
        )
      }
      filters={[<SelectInput key="status" source="status" label="activations.status" choices={states} alwaysOn />]}
    />
  );
}

function Name({ number }: Pick<ActivationLine, 'number'>) {
  return useTranslate()('activations.name', { number });
}
