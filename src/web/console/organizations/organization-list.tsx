import AddIcon from '@mui/icons-material/Add';
import { Button } from '@mui/material';
import { useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { MODE_TONES, type Organization, STATE_TONES } from './organization';

const COLUMNS: Column<Organization>[] = [
  { label: 'organizations.businessName', of: ({ businessName }) => businessName },
  { label: 'organizations.state', of: ({ state }) => <Status value={state} tone={STATE_TONES[state]} /> },
  { label: 'organizations.mode', of: ({ mode }) => <Status value={mode} tone={MODE_TONES[mode]} /> },
  { label: 'organizations.country', of: ({ country }) => country },
  { label: 'organizations.terminal', of: ({ terminalId }) => terminalId },
  { label: 'organizations.created', of: ({ createdAt }) => <Instant at={createdAt} /> },
];

export default function OrganizationList() {
  const translate = useTranslate();
  return (
    <ListPage<Organization>
      columns={COLUMNS}
      acts={
        <Button size="small" component={Link} to="/organizations/create" startIcon={<AddIcon />}>
          {translate('organizations.create')}
        </Button>
      }
    />
  );
}
