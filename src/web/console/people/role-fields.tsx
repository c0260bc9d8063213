import { MenuItem, TextField } from '@mui/material';
import { usePermissions, useTranslate } from 'react-admin';
import { currentScope } from '../session/scope';
import type { Person, Role } from '../session/session';
import { GIVEN_BY } from './person';

export interface Place {
  role: Role;
  organizationId?: string;
}

/** What somebody new may be at first: the own role of who invites. */
export function firstPlace(person: Person | undefined): Place {
  return { role: person?.role ?? 'merchant' };
}

/** What the API is told of a place. Only a merchant has an organization; that of a merchant is known anyway. */
export function placeBody({ role, organizationId }: Place): Place {
  const chosen = organizationId || currentScope().organizationId;
  return { role, ...(role === 'merchant' && chosen && { organizationId: chosen }) };
}

/** The role, and the organization of a merchant. */
export function RoleFields({ value, onChange }: { value: Place; onChange(value: Place): void }) {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  if (!person) return null;
  return (
    <>
      <TextField
        select
        fullWidth
        margin="dense"
        label={translate('people.role')}
        value={value.role}
        onChange={(event) => onChange({ ...value, role: event.target.value as Role })}
      >
        {GIVEN_BY[person.role].map((role) => (
          <MenuItem key={role} value={role}>
            {translate(`people.roles.${role}`)}
          </MenuItem>
        ))}
      </TextField>
      {value.role === 'merchant' && !person.organizationId && (
        <TextField
          fullWidth
          required
          margin="dense"
          label={translate('people.organizationId')}
          value={value.organizationId ?? currentScope().organizationId ?? ''}
          onChange={(event) => onChange({ ...value, organizationId: event.target.value })}
        />
      )}
    </>
  );
}
