import { TextField } from '@mui/material';
import { useState } from 'react';
import { usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Instant } from '../parts/instant';
import { type Column, ListPage } from '../parts/list-page';
import { Status } from '../parts/status';
import { api } from '../server/api';
import type { Person } from '../session/session';
import { NewSecret } from './new-secret';
import type { ClientRow } from './person';
import { firstPlace, type Place, placeBody, RoleFields } from './role-fields';

export default function ClientList() {
  const translate = useTranslate();
  const columns: Column<ClientRow>[] = [
    { label: 'people.name', of: ({ name }) => name },
    { label: 'people.clientId', of: ({ clientId }) => <code>{clientId}</code> },
    { label: 'people.role', of: ({ role }) => translate(`people.roles.${role}`) },
    {
      label: 'people.state',
      of: ({ disabledAt }) => {
        const state = disabledAt ? 'disabled' : 'active';
        return <Status value={state} label={translate(`people.states.${state}`)} tone={disabledAt ? 'bad' : 'good'} />;
      },
    },
    { label: 'people.since', of: ({ createdAt }) => <Instant at={createdAt} date />, wide: true },
  ];
  return <ListPage<ClientRow> columns={columns} acts={<Create />} />;
}

function Create() {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { permissions: person } = usePermissions<Person>();
  const [name, setName] = useState('');
  const [place, setPlace] = useState<Place>();
  const [made, setMade] = useState<{ clientId: string; secret: string }>();
  const given = place ?? firstPlace(person);
  return (
    <>
      <Act
        id="clients/create"
        label={translate('people.newClient.act')}
        question={translate('people.newClient.question')}
        variant="contained"
        values={[name, given]}
        send={({ idempotencyKey }) =>
          api.post('/identity/1.0.0/clients', { body: { name, ...placeBody(given) }, idempotencyKey })
        }
        onDone={(client) => {
          setMade(client);
          refresh();
        }}
      >
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
      {made && <NewSecret client={made} onSeen={() => setMade(undefined)} />}
    </>
  );
}
