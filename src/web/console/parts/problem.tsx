import { Alert } from '@mui/material';
import { useTranslate } from 'react-admin';
import { ApiError } from '../server/api';

/** The API's own sentence about what is wrong, each field's too. */
export function problemText(error: unknown, translate: (key: string, options?: object) => string): string {
  if (!(error instanceof ApiError)) return String((error as Error).message ?? error);
  if (error.status === 0) return translate('console.error.lost');
  const fields = error.details.map(({ field, message }) => `${field} ${message}`);
  return [error.message, ...fields].join('. ');
}

/** What went wrong, and the reference that support asks for. */
export function Problem({ error }: { error: unknown }) {
  const translate = useTranslate();
  if (!error) return null;
  return (
    <Alert severity="error" sx={{ my: 1 }}>
      {problemText(error, translate)}
      {error instanceof ApiError && error.requestId && (
        <>
          <br />
          <small>{translate('console.error.reference', { requestId: error.requestId })}</small>
        </>
      )}
    </Alert>
  );
}
