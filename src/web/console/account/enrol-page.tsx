import { Box, Button, Card, CardContent, Typography } from '@mui/material';
import { useState } from 'react';
import { useTranslate } from 'react-admin';
import { signOut } from '../session/session';
import { type Added, AddFactor } from './add-factor';
import { RecoveryCodes } from './recovery-codes';

/** For who needs a second factor and has none: nothing else works until it is there. */
export function EnrolPage() {
  const translate = useTranslate();
  const [added, setAdded] = useState<Added>();
  return (
    <Box component="main" sx={{ minHeight: '100vh', display: 'grid', placeItems: 'center', p: 2 }}>
      <Card sx={{ width: '100%', maxWidth: 500 }}>
        <CardContent sx={{ display: 'grid', gap: 2 }}>
          <title>{`${translate('account.enrol.title')} · Tillway`}</title>
          <Typography variant="h5" component="h1">
            {translate('account.enrol.title')}
          </Typography>
          {added ? (
            <>
              {added.recoveryCodes && <RecoveryCodes codes={added.recoveryCodes} />}
              {/* Loads the console anew: it shows the whole of it now. */}
              <Button variant="contained" href="/console">
                {translate('account.enrol.go')}
              </Button>
            </>
          ) : (
            <>
              <Typography>{translate('account.enrol.why')}</Typography>
              <Typography variant="h6" component="h2">
                {translate('account.enrol.choose')}
              </Typography>
              <AddFactor onAdded={setAdded} />
              <Button size="small" onClick={() => signOut().finally(() => location.assign('/console'))}>
                {translate('ra.auth.logout')}
              </Button>
            </>
          )}
        </CardContent>
      </Card>
    </Box>
  );
}
