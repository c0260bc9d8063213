import { Box, MenuItem, TextField } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { usePermissions, useTranslate } from 'react-admin';
import { api } from '../server/api';
import { chooseScope, type Scope, UNSCOPED, useScope } from '../session/scope';
import type { Person } from '../session/session';

const MOST = 200;
const KEPT_MS = 60_000;

/** An operator chooses a tenant and a tenant admin an organization; a merchant has one and sees nothing here. */
export function ScopePicker() {
  const { permissions: person } = usePermissions<Person>();
  const scope = useScope();
  const translate = useTranslate();
  const client = useQueryClient();
  const isOperator = person?.role === 'ops';
  const isAdmin = person?.role === 'tenant_admin';
  const tenants = useQuery({
    queryKey: ['scope', 'tenants', person?.userId],
    enabled: isOperator,
    staleTime: KEPT_MS,
    queryFn: ({ signal }) => api.get('/identity/1.0.0/tenants', { query: { limit: MOST }, signal }),
  });
  const organizations = useQuery({
    queryKey: ['scope', 'organizations', person?.userId],
    enabled: isOperator || isAdmin,
    staleTime: KEPT_MS,
    queryFn: ({ signal }) =>
      api.get('/identity/1.0.0/organizations', { query: { limit: MOST }, headers: UNSCOPED, signal }),
  });
  if (!isOperator && !isAdmin) return null;
  const choose = (next: Scope) => {
    chooseScope(next);
    // Nothing of another tenant or organization stays on the screen.
    void client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'scope' });
  };
  const own = (organizations.data?.data ?? []).filter(
    ({ tenantId }) => !isOperator || !scope.tenantId || tenantId === scope.tenantId,
  );
  return (
    <Box sx={{ display: 'flex', gap: 1, minWidth: 0, mt: { xs: 1.5, sm: 0 } }}>
      {isOperator && (
        <Choice
          label={translate('console.scope.tenant')}
          all={translate('console.scope.allTenants')}
          value={scope.tenantId}
          choices={(tenants.data?.data ?? []).map(({ tenantId, name }) => ({ id: tenantId, name }))}
          onChoose={(tenantId) => choose({ tenantId })}
        />
      )}
      <Choice
        label={translate('console.scope.organization')}
        all={translate('console.scope.allOrganizations')}
        value={scope.organizationId}
        choices={own.map(({ organizationId, name }) => ({ id: organizationId, name }))}
        onChoose={(organizationId) =>
          choose({
            organizationId,
            // An operator who chooses an organization has chosen its tenant.
            tenantId: own.find((one) => one.organizationId === organizationId)?.tenantId ?? scope.tenantId,
          })
        }
      />
    </Box>
  );
}

interface ChoiceProps {
  label: string;
  value: string | undefined;
  choices: { id: string; name: string }[];
  /** What stands there when nothing is chosen. */
  all: string;
  onChoose(id: string | undefined): void;
}

function Choice({ label, value, choices, all, onChoose }: ChoiceProps) {
  return (
    <TextField
      select
      value={choices.some(({ id }) => id === value) ? value : ''}
      onChange={(event) => onChoose(event.target.value || undefined)}
      slotProps={{
        select: { displayEmpty: true },
        // The bar has no room for a label that is seen.
        htmlInput: { 'aria-label': label },
      }}
      sx={{ width: { xs: '100%', sm: 170, md: 210 } }}
    >
      <MenuItem value="">{all}</MenuItem>
      {choices.map(({ id, name }) => (
        <MenuItem key={id} value={id}>
          {name}
        </MenuItem>
      ))}
    </TextField>
  );
}
