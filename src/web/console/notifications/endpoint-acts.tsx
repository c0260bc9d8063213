import { useState } from 'react';
import { useRedirect, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Input } from '../parts/input';
import { ApiError, api } from '../server/api';
import { ENDPOINT, type Endpoint, type EndpointText, type RotatedSecret } from './endpoint';
import { EndpointInputs } from './endpoint-inputs';

interface Shown {
  endpoint: Endpoint;
}

/** Sends a signed test and says what the server answered. */
export function PingEndpoint({ endpoint: { endpointId, url, status } }: Shown) {
  const translate = useTranslate();
  return (
    <Act
      id={`ping/${endpointId}`}
      label={translate('notifications.ping.act')}
      question={translate('endpoints.ping', { url })}
      disabled={status !== 'enabled'}
      send={({ idempotencyKey }) => api.post(`${ENDPOINT}/ping`, { path: { endpointId }, idempotencyKey })}
      outcomeOf={({ state, attempts }) => ({
        state: state === 'delivered' ? 'done' : 'refused',
        text: translate(`notifications.ping.${state}`, { answer: attempts[0]?.status ?? attempts[0]?.error ?? '' }),
      })}
    />
  );
}

export function ChangeEndpoint({ endpoint: { endpointId, url, events, description = '' } }: Shown) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [values, setValues] = useState<EndpointText>({ url, events, description });
  return (
    <Act
      id={`change/${endpointId}`}
      label={translate('endpoints.change.act')}
      question={translate('endpoints.change.question')}
      values={values}
      send={() => api.put(ENDPOINT, { path: { endpointId }, body: values })}
      onDone={refresh}
    >
      <EndpointInputs values={values} onChange={setValues} />
    </Act>
  );
}

/** Replaces the secret. `onSecret` gets the new one: no other answer has it. */
export function RotateSecret({ endpoint: { endpointId }, onSecret }: Shown & { onSecret(secret: string): void }) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const [hours, setHours] = useState('24');
  return (
    <Act<RotatedSecret>
      id={`rotate/${endpointId}`}
      label={translate('endpoints.rotate.act')}
      question={translate('endpoints.rotate.question')}
      values={hours}
      send={({ idempotencyKey }) =>
        api.post(`${ENDPOINT}/secret/rotate`, {
          path: { endpointId },
          body: { overlapSeconds: Math.round(Number(hours) * 3_600) },
          idempotencyKey,
        })
      }
      outcomeOf={() => ({ state: 'done', text: translate('endpoints.rotate.done') })}
      onDone={({ secret }) => {
        onSecret(secret);
        refresh();
      }}
    >
      <Input
        label={translate('endpoints.rotate.overlap')}
        value={hours}
        onChange={setHours}
        type="number"
        required
        slotProps={{ htmlInput: { min: 0, step: 1 } }}
      />
    </Act>
  );
}

export function SwitchEndpoint({ endpoint: { endpointId, url, status } }: Shown) {
  const translate = useTranslate();
  const refresh = useRefresh();
  const isEnabled = status === 'enabled';
  const act = isEnabled ? 'disable' : 'enable';
  return (
    <Act
      id={`${act}/${endpointId}`}
      label={translate(`endpoints.${act}.act`)}
      color={isEnabled ? 'warning' : 'primary'}
      question={translate(`endpoints.${act}.question`, { url })}
      send={({ idempotencyKey }) =>
        api.post(isEnabled ? `${ENDPOINT}/disable` : `${ENDPOINT}/enable`, { path: { endpointId }, idempotencyKey })
      }
      onDone={refresh}
    />
  );
}

export function RemoveEndpoint({ endpoint: { endpointId, url } }: Shown) {
  const translate = useTranslate();
  const redirect = useRedirect();
  return (
    <Act
      id={`remove/${endpointId}`}
      label={translate('endpoints.remove.act')}
      color="error"
      question={translate('endpoints.remove.question', { url })}
      send={() => api.delete(ENDPOINT, { path: { endpointId } }).catch(gone)}
      onDone={() => redirect('/endpoints')}
    />
  );
}

/** The answer to an earlier try was lost: it is removed already. */
function gone(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}
