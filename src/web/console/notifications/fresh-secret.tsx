import { Alert, Typography } from '@mui/material';
import { useTranslate } from 'react-admin';
import { Copyable } from '../parts/facts';

/** A secret that the API has just made. Nobody can ask for it again. */
export function FreshSecret({ secret }: { secret: string }) {
  const translate = useTranslate();
  return (
    <Alert severity="warning" sx={{ my: 1 }}>
      <Typography variant="body2">{translate('endpoints.once')}</Typography>
      <Copyable text={secret} label={translate('endpoints.secret')} />
    </Alert>
  );
}
