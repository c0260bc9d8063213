import { useState } from 'react';
import { usePermissions, useRedirect, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Instant } from '../parts/instant';
import { RecordPage } from '../parts/record-page';
import { Status } from '../parts/status';
import { api } from '../server/api';
import type { Person } from '../session/session';
import { type PersonRow, STATE_TONES } from './person';
import { type Place, placeBody, RoleFields } from './role-fields';

export default function PersonPage() {
  const translate = useTranslate();
  return (
    <RecordPage<PersonRow>
      titleOf={({ name }) => name}
      markOf={({ state }) => (
        <Status value={state} label={translate(`people.states.${state}`)} tone={STATE_TONES[state]} />
      )}
    >
      {(user, refresh) => (
        <>
          <Section title={translate('resources.people.name', { smart_count: 1 })}>
            <Facts>
              <Fact name={translate('people.email')}>{user.email}</Fact>
              <Fact name={translate('people.phone')}>{user.phone}</Fact>
              <Fact name={translate('people.role')}>{translate(`people.roles.${user.role}`)}</Fact>
              <Fact name={translate('people.organizationId')}>
                {user.organizationId && <Copyable text={user.organizationId} />}
              </Fact>
              <Fact name={translate('people.since')}>
                <Instant at={user.createdAt} />
              </Fact>
              <Fact name={translate('console.record.id')}>
                <Copyable text={user.userId} />
              </Fact>
            </Facts>
          </Section>
          <Section title={translate('people.whatYouCanDo')}>
            <Acts user={user} refresh={refresh} />
          </Section>
        </>
      )}
    </RecordPage>
  );
}

function Acts({ user, refresh }: { user: PersonRow; refresh(): void }) {
  const { userId, name, state } = user;
  const translate = useTranslate();
  const redirect = useRedirect();
  const { permissions: person } = usePermissions<Person>();
  const path = { userId };
  const said = (act: string) => ({
    id: `people/${act}/${userId}`,
    label: translate(`people.${act}.act`),
    question: translate(`people.${act}.question`, { name }),
  });
  return (
    <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
      {state === 'invited' && (
        <Act
          {...said('again')}
          send={({ idempotencyKey }) =>
            api.post('/identity/1.0.0/users/{userId}/invitations', { path, idempotencyKey })
          }
          onDone={refresh}
        />
      )}
      <ChangeRole user={user} refresh={refresh} />
      {state === 'disabled' ? (
        <Act
          {...said('enable')}
          send={() => api.post('/identity/1.0.0/users/{userId}/enable', { path })}
          onDone={refresh}
        />
      ) : (
        <Act
          {...said('disable')}
          color="error"
          send={() => api.post('/identity/1.0.0/users/{userId}/disable', { path })}
          onDone={refresh}
        />
      )}
      {person?.role !== 'merchant' && person?.userId !== userId && (
        <Act
          {...said('reset')}
          color="error"
          send={() => api.delete('/identity/1.0.0/users/{userId}/factors', { path })}
          onDone={refresh}
        />
      )}
      <Act
        {...said('remove')}
        color="error"
        send={() => api.delete('/identity/1.0.0/users/{userId}', { path })}
        onDone={() => redirect('list', 'people')}
      />
    </div>
  );
}

function ChangeRole({ user: { userId, name, role, organizationId }, refresh }: { user: PersonRow; refresh(): void }) {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  const [place, setPlace] = useState<Place>({ role, organizationId });
  if (person?.role === 'merchant') return null;
  return (
    <Act
      id={`people/change/${userId}`}
      label={translate('people.change.act')}
      question={translate('people.change.question', { name })}
      values={place}
      send={() => api.patch('/identity/1.0.0/users/{userId}', { path: { userId }, body: placeBody(place) })}
      onDone={refresh}
    >
      <RoleFields value={place} onChange={setPlace} />
    </Act>
  );
}
