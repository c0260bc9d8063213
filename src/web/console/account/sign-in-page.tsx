import { Alert, Box, Button, Card, CardContent, TextField, Typography } from '@mui/material';
import { type FormEvent, useState } from 'react';
import { useLogin, useTranslate } from 'react-admin';
import { Problem } from '../parts/problem';
import { ApiError, api } from '../server/api';
import { type Person, signIn, signInWithPasskey } from '../session/session';
import { EnrolPage } from './enrol-page';
import { passkeysWork } from './passkeys';

/** Address and password, then the code where the person has an authenticator. */
export function SignInPage() {
  const translate = useTranslate();
  const login = useLogin();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [asksCode, setAsksCode] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [isEnrolling, setEnrolling] = useState(false);
  const [isSent, setSent] = useState(false);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    void enter(() => signIn({ email, password, ...(asksCode && { code: code.replaceAll(' ', '') }) }));
  };
  const forgot = () =>
    api.post('/auth/1.0.0/users/password-reset', { body: { email } }).then(() => setSent(true), setError);
  const enter = async (how: () => Promise<Person>) => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      const { mustEnrol } = await how();
      if (mustEnrol) setEnrolling(true);
      else await login({});
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.code === 'two_factor_required') setAsksCode(true);
      else setError(thrown);
    } finally {
      setBusy(false);
    }
  };

  if (isEnrolling) return <EnrolPage />;
  return (
    <Box component="main" sx={{ minHeight: '100vh', display: 'grid', placeItems: 'center', p: 2 }}>
      <Card sx={{ width: '100%', maxWidth: 400 }}>
        <CardContent component="form" onSubmit={submit} sx={{ display: 'grid', gap: 2 }}>
          <Typography variant="h5" component="h1">
            {translate('console.title')}
          </Typography>
          <TextField
            label={translate('account.email')}
            type="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <TextField
            label={translate('account.password')}
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
          {asksCode && (
            <TextField
              label={translate('account.code')}
              helperText={translate('account.codeHelp')}
              autoComplete="one-time-code"
              required
              autoFocus
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
          )}
          <Problem error={error} />
          <Button type="submit" variant="contained" disabled={isBusy}>
            {translate('account.signIn')}
          </Button>
          {passkeysWork() && (
            <Button variant="outlined" disabled={isBusy} onClick={() => enter(signInWithPasskey)}>
              {translate('account.withPasskey')}
            </Button>
          )}
          <Button size="small" disabled={isBusy || email === ''} onClick={forgot}>
            {translate('account.forgot')}
          </Button>
          {isSent && <Alert severity="info">{translate('account.reset.sent')}</Alert>}
        </CardContent>
      </Card>
    </Box>
  );
}
