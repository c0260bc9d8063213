import { Alert, TextField, Typography } from '@mui/material';
import { useState } from 'react';
import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Copyable, Fact, Facts, Section } from '../parts/facts';
import { Heading } from '../parts/heading';
import { Instant } from '../parts/instant';
import { useLive } from '../parts/live';
import { Problem } from '../parts/problem';
import { api } from '../server/api';

const NAMES = ['clientSecret', 'terminalPassword', 'callbackSecret'] as const;
type Name = (typeof NAMES)[number];

/** A secret: what is known of it. Its value is shown once, by the API's own rule. */
interface Secret {
  value?: string;
  lastFour: string;
  since: string;
  previousUntil?: string;
}

export default function ParametersPage() {
  const translate = useTranslate();
  const { data, error } = useLive(
    ['parameters'],
    (signal) => api.get('/onboarding/1.0.0/parameters', { signal }),
    () => true,
  );
  return (
    <>
      <Heading title={translate('integration.parameters.title')} />
      <Problem error={error} />
      {data && (
        <>
          <Section title={translate('integration.parameters.names')}>
            <Facts>
              <Fact name={translate('integration.parameters.clientId')}>
                <Copyable text={data.clientId} />
              </Fact>
              <Fact name={translate('integration.parameters.terminalId')}>
                <Copyable text={data.terminalId} />
              </Fact>
            </Facts>
          </Section>
          {NAMES.map((name) => {
            const secret: Secret | undefined = data[name];
            return secret && <SecretSection key={name} name={name} secret={secret} />;
          })}
        </>
      )}
    </>
  );
}

function SecretSection({ name, secret }: { name: Name; secret: Secret }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [fresh, setFresh] = useState<string>();
  const [hours, setHours] = useState('24');
  const label = translate(`integration.parameters.${name}`);
  const value = fresh ?? secret.value;
  return (
    <Section
      title={label}
      acts={
        <>
          {secret.previousUntil && (
            <Act
              id={`end-overlap/${name}`}
              label={translate('integration.parameters.end.act')}
              color="error"
              question={translate('integration.parameters.end.question', { name: label })}
              send={() => api.delete('/onboarding/1.0.0/parameters/{name}/previous', { path: { name } })}
              onDone={() => refresh()}
            />
          )}
          <Act<{ value?: string }>
            id={`rotate/${name}`}
            label={translate('integration.parameters.rotate.act')}
            question={translate('integration.parameters.rotate.question', { name: label })}
            values={hours}
            send={({ idempotencyKey }) =>
              api.post('/onboarding/1.0.0/parameters/{name}/rotate', {
                path: { name },
                body: { overlapSeconds: Math.round(Number(hours) * 3_600) },
                idempotencyKey,
              }) as Promise<{ value?: string }>
            }
            outcomeOf={() => ({ state: 'done', text: translate('integration.parameters.rotate.done') })}
            onDone={(answer) => {
              setFresh(answer.value);
              refresh();
            }}
          >
            <TextField
              label={translate('integration.parameters.rotate.overlap')}
              value={hours}
              onChange={({ target }) => setHours(target.value)}
              type="number"
              slotProps={{ htmlInput: { min: 0, max: 720, step: 1 } }}
              fullWidth
              margin="normal"
            />
          </Act>
        </>
      }
    >
      <Facts>
        <Fact name={translate('integration.parameters.ends')}>…{secret.lastFour}</Fact>
        <Fact name={translate('integration.parameters.since')}>
          <Instant at={secret.since} />
        </Fact>
        <Fact name={translate('integration.parameters.previous')}>
          {secret.previousUntil && <Instant at={secret.previousUntil} />}
        </Fact>
      </Facts>
      {value && (
        <Alert severity="warning" sx={{ mt: 1 }}>
          <Typography variant="body2">{translate('integration.parameters.once')}</Typography>
          <Copyable text={value} label={label} />
        </Alert>
      )}
    </Section>
  );
}
