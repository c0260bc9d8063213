import { MenuItem, TextField } from '@mui/material';
import { useState } from 'react';
import { useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { api } from '../server/api';
import { NewSecret } from './new-secret';
import type { ClientRow } from './person';

/** How long the old secret works beside the new one, in seconds. */
const OVERLAPS = [0, 3_600, 86_400, 604_800] as const;

export default function ClientPage() {
  const translate = useTranslate();
  return (
    <RecordPage<ClientRow>
      titleOf={({ name }) => name}
      markOf={({ disabledAt }) => {
        const state = disabledAt ? 'disabled' : 'active';
        return <Status value={state} label={translate(`people.states.${state}`)} tone={disabledAt ? 'bad' : 'good'} />;
      }}
      actsOf={(client) => <Rotate client={client} />}
    >
      {(client, refresh) => (
        <Section
          title={translate('resources.clients.name', { smart_count: 1 })}
          acts={<Switch client={client} refresh={refresh} />}
        >
          <Facts>
            <Fact name={translate('people.clientId')}>
              <Copyable text={client.clientId} />
            </Fact>
            <Fact name={translate('people.role')}>{translate(`people.roles.${client.role}`)}</Fact>
            <Fact name={translate('people.organizationId')}>{client.organizationId}</Fact>
            <Fact name={translate('people.since')}>
              <Instant at={client.createdAt} />
            </Fact>
          </Facts>
        </Section>
      )}
    </RecordPage>
  );
}

function Rotate({ client: { clientId, name } }: { client: ClientRow }) {
  const translate = useTranslate();
  const [overlapSeconds, setOverlap] = useState<number>(86_400);
  const [made, setMade] = useState<{ clientId: string; secret: string }>();
  return (
    <>
      <Act
        id={`clients/rotate/${clientId}`}
        label={translate('people.rotate.act')}
        question={translate('people.rotate.question', { name })}
        values={overlapSeconds}
        send={({ idempotencyKey }) =>
          api.post('/identity/1.0.0/clients/{clientId}/rotate', {
            path: { clientId },
            body: { overlapSeconds },
            idempotencyKey,
          })
        }
        onDone={setMade}
      >
        <TextField
          select
          fullWidth
          margin="dense"
          label={translate('people.rotate.overlap')}
          value={overlapSeconds}
          onChange={(event) => setOverlap(Number(event.target.value))}
        >
          {OVERLAPS.map((seconds) => (
            <MenuItem key={seconds} value={seconds}>
              {translate(`people.rotate.overlaps.${seconds}`)}
            </MenuItem>
          ))}
        </TextField>
      </Act>
      {made && <NewSecret client={made} onSeen={() => setMade(undefined)} />}
    </>
  );
}

function Switch({ client: { clientId, name, disabledAt }, refresh }: { client: ClientRow; refresh(): void }) {
  const translate = useTranslate();
  const path = { clientId };
  const act = disabledAt ? 'enableClient' : 'disableClient';
  return (
    <Act
      id={`clients/${act}/${clientId}`}
      label={translate(`people.${act}.act`)}
      question={translate(`people.${act}.question`, { name })}
      color={disabledAt ? 'primary' : 'error'}
      send={() =>
        disabledAt
          ? api.post('/identity/1.0.0/clients/{clientId}/enable', { path })
          : api.post('/identity/1.0.0/clients/{clientId}/disable', { path })
      }
      onDone={refresh}
    />
  );
}
