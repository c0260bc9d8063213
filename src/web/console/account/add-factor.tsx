import { Alert, Box, Button, Link, TextField, Typography } from '@mui/material';
import { startRegistration } from '@simplewebauthn/browser';
import { type FormEvent, useState } from 'react';
import { useTranslate } from 'react-admin';
import { Copyable } from '../parts/facts';
import { Problem } from '../parts/problem';
import { type Answer, ApiError, api } from '../server/api';
import { onLocalhost, passkeysWork, proofOf } from './passkeys';

export interface Added {
  /** Where the factor has brought new ones. */
  recoveryCodes?: readonly string[];
}

interface AddFactorProps {
  onAdded(added: Added): void;
}

/** Adds an authenticator app or a passkey. Asks for a code where the sign-in is not fresh. */
export function AddFactor({ onAdded }: AddFactorProps) {
  const translate = useTranslate();
  const [proof, setProof] = useState('');
  const [asksProof, setAsksProof] = useState(false);
  const [app, setApp] = useState<Answer<'/auth/1.0.0/users/totp', 'post'>>();
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);

  const run = async (work: () => Promise<void>) => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.code === 'two_factor_required') setAsksProof(true);
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  const addPasskey = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const optionsJSON = await api.post('/auth/1.0.0/users/passkeys/options', { headers: proofOf(proof) });
      const credential = await startRegistration({ optionsJSON: optionsJSON as never });
      onAdded(await api.post('/auth/1.0.0/users/passkeys', { body: { name, credential: credential as never } }));
    });
  };
  const begin = () =>
    void run(async () => setApp(await api.post('/auth/1.0.0/users/totp', { headers: proofOf(proof) })));

  return (
    <Box sx={{ display: 'grid', gap: 2, maxWidth: 460 }}>
      <Problem error={error} />
      {asksProof && (
        <TextField
          label={translate('account.code')}
          helperText={translate('account.codeHelp')}
          autoComplete="one-time-code"
          value={proof}
          onChange={(event) => setProof(event.target.value)}
        />
      )}
      {app ? (
        <ConfirmApp app={app} onAdded={onAdded} />
      ) : (
        <>
          <Box>
            <Typography variant="subtitle1" component="h3">
              {translate('account.app.name')}
            </Typography>
            <Typography variant="body2" color="text.secondary" sx={{ mb: 1 }}>
              {translate('account.app.what')}
            </Typography>
            <Button variant="outlined" onClick={begin} disabled={isBusy}>
              {translate('account.app.begin')}
            </Button>
          </Box>
          <Box component="form" onSubmit={addPasskey} sx={{ display: 'grid', gap: 1 }}>
            <Typography variant="subtitle1" component="h3">
              {translate('account.passkey.name')}
            </Typography>
            <Typography variant="body2" color="text.secondary">
              {translate('account.passkey.what')}
            </Typography>
            {passkeysWork() ? (
              <>
                <TextField
                  label={translate('account.passkey.called')}
                  helperText={translate('account.passkey.calledHelp')}
                  required
                  value={name}
                  onChange={(event) => setName(event.target.value)}
                  slotProps={{ htmlInput: { maxLength: 60 } }}
                />
                <Button type="submit" variant="outlined" disabled={isBusy} sx={{ justifySelf: 'start' }}>
                  {translate('account.passkey.add')}
                </Button>
              </>
            ) : (
              <NotHere />
            )}
          </Box>
        </>
      )}
    </Box>
  );
}

function NotHere() {
  const translate = useTranslate();
  const there = onLocalhost();
  return (
    <Alert severity="info">
      {translate('account.passkey.notHere')}{' '}
      {there && <Link href={there}>{translate('account.passkey.onLocalhost')}</Link>}
    </Alert>
  );
}

/** The app's secret as a picture and as text, and the first code of the app. */
function ConfirmApp({ app, onAdded }: AddFactorProps & { app: Answer<'/auth/1.0.0/users/totp', 'post'> }) {
  const translate = useTranslate();
  const [code, setCode] = useState('');
  const [error, setError] = useState<unknown>();
  const confirm = async (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    await api
      .post('/auth/1.0.0/users/totp/confirm', { body: { code: code.replaceAll(' ', '') } })
      .then(onAdded, setError);
  };
  return (
    <Box component="form" onSubmit={confirm} sx={{ display: 'grid', gap: 2, justifyItems: 'start' }}>
      <Typography>{translate('account.app.scan')}</Typography>
      <Box
        component="img"
        src={app.svg}
        alt={translate('account.app.picture')}
        sx={{ width: 200, height: 200, bgcolor: '#fff', p: 1 }}
      />
      <Typography variant="body2" component="div">
        {translate('account.app.type')} <Copyable text={app.secret} />
      </Typography>
      <TextField
        label={translate('account.app.code')}
        autoComplete="one-time-code"
        required
        fullWidth
        value={code}
        onChange={(event) => setCode(event.target.value)}
        slotProps={{ htmlInput: { inputMode: 'numeric' } }}
      />
      <Problem error={error} />
      <Button type="submit" variant="contained">
        {translate('account.app.confirm')}
      </Button>
    </Box>
  );
}
