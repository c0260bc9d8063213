import { Alert, Button, Dialog, DialogActions, DialogContent, DialogTitle } from '@mui/material';
import { useId } from 'react';
import { useTranslate } from 'react-admin';
import { Copyable, Fact, Facts } from '../parts/facts';

/** The secret of a client: shown this once. */
export function NewSecret({ client, onSeen }: { client: { clientId: string; secret: string }; onSeen(): void }) {
  const translate = useTranslate();
  const heading = useId();
  return (
    <Dialog open aria-labelledby={heading} fullWidth maxWidth="sm">
      <DialogTitle id={heading}>{translate('people.secret.title')}</DialogTitle>
      <DialogContent>
        <Alert severity="warning" sx={{ mb: 2 }}>
          {translate('people.secret.once')}
        </Alert>
        <Facts>
          <Fact name={translate('people.clientId')}>
            <Copyable text={client.clientId} />
          </Fact>
          <Fact name={translate('people.secret.name')}>
            <Copyable text={client.secret} label={translate('people.secret.name')} />
          </Fact>
        </Facts>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onSeen}>
          {translate('people.secret.seen')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
