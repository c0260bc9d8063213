import { Alert, Box, Button, TextField, Typography } from '@mui/material';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLogout, useNotify, usePermissions, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Fact, Facts, Section } from '../parts/facts';
import { Heading } from '../parts/heading';
import { Instant } from '../parts/instant';
import { Problem } from '../parts/problem';
import { api } from '../server/api';
import type { Person } from '../session/session';
import { type Added, AddFactor } from './add-factor';
import { proofOf } from './passkeys';
import { RecoveryCodes } from './recovery-codes';

const MINE = 'my-account';

/** What belongs to the signed-in person: who it is, the second factors, and where the person is signed in. */
export default function AccountPage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  if (!person) return null;
  return (
    <>
      <Heading title={translate('account.title')} />
      <Section title={translate('account.you')} acts={<NewPassword email={person.email} />}>
        <Facts>
          <Fact name={translate('account.fullName')}>{person.name}</Fact>
          <Fact name={translate('account.email')}>{person.email}</Fact>
          <Fact name={translate('account.role')}>{translate(`account.roles.${person.role}`)}</Fact>
        </Facts>
      </Section>
      <Factors />
      <Sessions />
    </>
  );
}

function NewPassword({ email }: { email: string }) {
  const translate = useTranslate();
  const notify = useNotify();
  const send = () =>
    api.post('/auth/1.0.0/users/password-reset', { body: { email } }).then(
      () => notify('account.reset.sent', { type: 'info' }),
      (error: Error) => notify(error.message, { type: 'error' }),
    );
  return (
    <Button size="small" variant="outlined" onClick={send}>
      {translate('account.reset.act')}
    </Button>
  );
}

function Factors() {
  const translate = useTranslate();
  const queries = useQueryClient();
  const [added, setAdded] = useState<Added>();
  const [isAdding, setAdding] = useState(false);
  const factors = useQuery({ queryKey: [MINE, 'factors'], queryFn: () => api.get('/auth/1.0.0/users/factors') });
  const passkeys = useQuery({ queryKey: [MINE, 'passkeys'], queryFn: () => api.get('/auth/1.0.0/users/passkeys') });
  const again = () => void queries.invalidateQueries({ queryKey: [MINE] });
  const done = (what: Added) => {
    setAdding(false);
    setAdded(what);
    again();
  };
  const { data } = factors;
  return (
    <Section title={translate('account.factors')}>
      <Problem error={factors.error ?? passkeys.error} />
      {data && (
        <Box sx={{ display: 'grid', gap: 1 }}>
          {data.required && <Alert severity="info">{translate('account.required')}</Alert>}
          <Line
            name={translate('account.app.name')}
            value={translate(data.authenticator ? 'account.app.on' : 'account.app.off')}
          >
            {data.authenticator && (
              <Proven
                id="totp/remove"
                label={translate('account.remove')}
                question={translate('account.app.removeQuestion')}
                send={(headers) => api.delete('/auth/1.0.0/users/totp', { headers })}
                onDone={again}
              />
            )}
          </Line>
          {passkeys.data?.data.map(({ passkeyId, name, createdAt, usedAt }) => (
            <Line
              key={passkeyId}
              name={name}
              value={
                <>
                  {translate('account.passkey.name')} · <Instant at={usedAt ?? createdAt} />
                </>
              }
            >
              <Rename passkeyId={passkeyId} name={name} onDone={again} />
              <Proven
                id={`passkey/remove/${passkeyId}`}
                label={translate('account.remove')}
                question={translate('account.passkey.removeQuestion', { name })}
                send={(headers) =>
                  api.delete('/auth/1.0.0/users/passkeys/{passkeyId}', { path: { passkeyId }, headers })
                }
                onDone={again}
              />
            </Line>
          ))}
          {(data.authenticator || data.passkeys > 0) && (
            <Line
              name={translate('account.recovery.name')}
              value={translate('account.recovery.left', { count: data.recoveryCodes })}
            >
              <Proven
                id="recovery-codes"
                label={translate('account.recovery.renew')}
                question={translate('account.recovery.question')}
                send={(headers) => api.post('/auth/1.0.0/users/recovery-codes', { headers })}
                onDone={done}
              />
            </Line>
          )}
          {added?.recoveryCodes && <RecoveryCodes codes={added.recoveryCodes} />}
          {isAdding ? (
            <AddFactor onAdded={done} />
          ) : (
            <Button variant="contained" sx={{ justifySelf: 'start', mt: 1 }} onClick={() => setAdding(true)}>
              {translate('account.add')}
            </Button>
          )}
        </Box>
      )}
    </Section>
  );
}

function Line({ name, value, children }: { name: ReactNode; value: ReactNode; children?: ReactNode }) {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center', py: 0.5 }}>
      <Box sx={{ flex: 1, minWidth: 180, overflowWrap: 'anywhere' }}>
        <Typography component="div">{name}</Typography>
        <Typography variant="body2" color="text.secondary" component="div">
          {value}
        </Typography>
      </Box>
      {children}
    </Box>
  );
}

interface ProvenProps<Answer> {
  id: string;
  label: string;
  question: string;
  send(headers: Record<string, string | undefined>): Promise<Answer>;
  onDone(answer: Answer): void;
}

/** An act on somebody's own factors: asks first, with a code where the sign-in is not fresh. */
function Proven<Answer>({ send, ...props }: ProvenProps<Answer>) {
  const translate = useTranslate();
  const [code, setCode] = useState('');
  return (
    <Act {...props} values={code} send={() => send(proofOf(code))}>
      <TextField
        label={translate('account.code')}
        helperText={translate('account.proofHelp')}
        autoComplete="one-time-code"
        fullWidth
        margin="dense"
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
    </Act>
  );
}

function Rename({ passkeyId, name, onDone }: { passkeyId: string; name: string; onDone(): void }) {
  const translate = useTranslate();
  const [wanted, setWanted] = useState(name);
  return (
    <Act
      id={`passkey/rename/${passkeyId}`}
      label={translate('account.passkey.rename')}
      question={translate('account.passkey.renameQuestion')}
      values={wanted}
      send={() => api.patch('/auth/1.0.0/users/passkeys/{passkeyId}', { path: { passkeyId }, body: { name: wanted } })}
      onDone={onDone}
    >
      <TextField
        label={translate('account.passkey.called')}
        required
        fullWidth
        margin="dense"
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
    </Act>
  );
}

function Sessions() {
  const translate = useTranslate();
  const logout = useLogout();
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: [MINE, 'sessions'],
    queryFn: () => api.get('/identity/1.0.0/sessions'),
  });
  const again = () => void queries.invalidateQueries({ queryKey: [MINE, 'sessions'] });
  return (
    <Section
      title={translate('account.sessions.title')}
      acts={
        <Act
          id="sessions/end-all"
          label={translate('account.sessions.endAll')}
          question={translate('account.sessions.endAllQuestion')}
          send={() => api.delete('/identity/1.0.0/sessions')}
          onDone={() => void logout()}
          color="error"
        />
      }
    >
      <Problem error={error} />
      {data?.data.map(({ sessionId, source, agent, seenAt, kind, current }) => (
        <Line
          key={sessionId}
          name={[source, translate(`account.sessions.${kind}`)].filter(Boolean).join(' · ')}
          value={
            <>
              <Instant at={seenAt} /> {agent}
            </>
          }
        >
          {current ? (
            <Typography variant="body2">{translate('account.sessions.here')}</Typography>
          ) : (
            <Act
              id={`session/end/${sessionId}`}
              label={translate('account.sessions.end')}
              question={translate('account.sessions.endQuestion')}
              send={() => api.delete('/identity/1.0.0/sessions/{sessionId}', { path: { sessionId } })}
              onDone={again}
            />
          )}
        </Line>
      ))}
    </Section>
  );
}
