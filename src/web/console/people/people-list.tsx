import { TextField } from '@mui/material';
import { useState } from 'react';
import { SelectInput, usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { api } from '../server/api';
import { type Person, ROLES } from '../session/session';
import { type PersonRow, STATE_TONES } from './person';
import { firstPlace, type Place, placeBody, RoleFields } from './role-fields';

export default function PeopleList() {
  const translate = useTranslate();
  const columns: Column<PersonRow>[] = [
    { label: 'people.name', of: ({ name }) => name },
    { label: 'people.email', of: ({ email }) => email },
    { label: 'people.role', of: ({ role }) => translate(`people.roles.${role}`) },
    {
      label: 'people.state',
      of: ({ state }) => <Status value={state} label={translate(`people.states.${state}`)} tone={STATE_TONES[state]} />,
    },
    { label: 'people.since', of: ({ createdAt }) => <Instant at={createdAt} date />, wide: true },
  ];
  const choices = (ids: readonly string[], words: string) => ids.map((id) => ({ id, name: `people.${words}.${id}` }));
  return (
    <ListPage<PersonRow>
      columns={columns}
      filters={[
        <SelectInput key="role" source="role" label="people.role" choices={choices(ROLES, 'roles')} alwaysOn />,
        <SelectInput
          key="state"
          source="state"
          label="people.state"
          choices={choices(Object.keys(STATE_TONES), 'states')}
          alwaysOn
        />,
      ]}
      acts={<Invite />}
    />
  );
}

function Invite() {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { permissions: person } = usePermissions<Person>();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [place, setPlace] = useState<Place>();
  const given = place ?? firstPlace(person);
  return (
    <Act
      id="people/invite"
      label={translate('people.invite.act')}
      question={translate('people.invite.question')}
      variant="contained"
      values={[email, name, given]}
      send={({ idempotencyKey }) =>
        api.post('/identity/1.0.0/users', { body: { email, name, ...placeBody(given) }, idempotencyKey })
      }
      outcomeOf={() => ({ state: 'done', text: translate('people.invite.done', { email }) })}
      onDone={refresh}
    >
      <TextField
        fullWidth
        required
        type="email"
        margin="dense"
        label={translate('people.email')}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        fullWidth
        required
        margin="dense"
        label={translate('people.name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <RoleFields value={given} onChange={setPlace} />
    </Act>
  );
}
