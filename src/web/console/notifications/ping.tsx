import { TextField } from '@mui/material';
import { useState } from 'react';
import { usePermissions, useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { api } from '../server/api';
import type { Person } from '../session/session';
import type { Notification } from './notification';

/** Sends a signed test to an address and says what came back. */
export function SendPing() {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { permissions: person } = usePermissions<Person>();
  const [url, setUrl] = useState('');
  if (person?.role === 'ops') return null;
  return (
    <Act<Notification>
      id="ping"
      label={translate('notifications.ping.act')}
      question={translate('notifications.ping.question')}
      values={url}
      send={({ idempotencyKey }) =>
        api.post('/ipg/1.0.0/payment/notifications/test', {
          body: { url },
          idempotencyKey,
        }) as Promise<Notification>
      }
      outcomeOf={({ state, attempts }) => ({
        state: state === 'delivered' ? 'done' : 'refused',
        text: translate(`notifications.ping.${state}`, { answer: attempts[0]?.status ?? attempts[0]?.error ?? '' }),
      })}
      onDone={() => refresh()}
    >
      <TextField
        label={translate('notifications.ping.url')}
        value={url}
        onChange={({ target }) => setUrl(target.value.trim())}
        type="url"
        required
        fullWidth
        margin="normal"
      />
    </Act>
  );
}
