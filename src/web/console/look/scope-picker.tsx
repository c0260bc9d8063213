import { MenuItem, TextField } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { usePermissions, useTranslate } from 'react-admin';
import { api } from '../server/api';
import { chooseScope, useScope } from '../session/scope';
import type { Person } from '../session/session';

const MOST = 200;

/** An operator chooses a tenant, a tenant admin one of its organizations; a merchant has one and sees nothing here. */
export function ScopePicker() {
  const { permissions: person } = usePermissions<Person>();
  const scope = useScope();
  const translate = useTranslate();
  const client = useQueryClient();
  const seesSeveral = person !== undefined && person.role !== 'merchant';
  const { data } = useQuery({
    queryKey: ['scope', person?.userId, scope.tenantId],
    enabled: seesSeveral && (person.role !== 'ops' || scope.tenantId !== undefined),
    queryFn: ({ signal }) => api.get('/onboarding/1.0.0/merchants', { query: { limit: MOST }, signal }),
  });
  if (!seesSeveral) return null;
  const choose = (next: Parameters<typeof chooseScope>[0]) => {
    chooseScope(next);
    // Nothing of another tenant or organization stays on the screen.
    void client.resetQueries();
  };
  const organizations = data?.data ?? [];
  return (
    <TextField
      select
      label={translate('console.scope.organization')}
      value={
        organizations.some(({ organizationId }) => organizationId === scope.organizationId) ? scope.organizationId : ''
      }
      onChange={(event) => choose({ ...scope, organizationId: event.target.value || undefined })}
      slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}
      sx={{ minWidth: { xs: 110, sm: 190 }, maxWidth: { xs: 140, sm: 260 } }}
    >
      <MenuItem value="">{translate('console.scope.all')}</MenuItem>
      {organizations.map(({ organizationId, businessName }) => (
        <MenuItem key={organizationId} value={organizationId}>
          {businessName}
        </MenuItem>
      ))}
    </TextField>
  );
}
