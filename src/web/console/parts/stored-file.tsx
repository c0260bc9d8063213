import { Box, Button } from '@mui/material';
import { useEffect, useState } from 'react';
import { useTranslate } from 'react-admin';
import { addressOf, request } from '../server/api';
import { saveFile } from '../server/export';
import { Problem } from './problem';

/** Reads a picture with the rights of the session, and shows it. */
export function Picture({ address, text, height }: { address: string; text: string; height?: number }) {
  const [shown, setShown] = useState<string>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const leaving = new AbortController();
    let made: string | undefined;
    request('get', address, { headers: { Accept: '*/*' }, signal: leaving.signal })
      .then((response) => response.blob())
      .then((blob) => {
        if (leaving.signal.aborted) return;
        made = URL.createObjectURL(blob);
        setShown(made);
      })
      .catch((thrown) => leaving.signal.aborted || setError(thrown));
    return () => {
      leaving.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [address]);
  if (error) return <Problem error={error} />;
  if (!shown) return null;
  return (
    <Box
      component="img"
      src={shown}
      alt={text}
      sx={{ maxWidth: '100%', maxHeight: height ?? 480, border: 1, borderColor: 'divider', borderRadius: 1 }}
    />
  );
}

export interface StoredFileProps {
  path: string;
  params: Record<string, string>;
  contentType: string;
  /** What it shows. */
  text: string;
}

/** A file that is read only when somebody asks for it: each reading is written down. Pictures are shown, others saved. */
export function StoredFile({ path, params, contentType, text }: StoredFileProps) {
  const translate = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const [error, setError] = useState<unknown>();
  const isPicture = contentType.startsWith('image/');
  const open = () => {
    if (isPicture) return setOpen((now) => !now);
    setError(undefined);
    saveFile(path, params, '*/*', text).catch(setError);
  };
  return (
    <Box sx={{ my: 1 }}>
      <Button size="small" variant="outlined" onClick={open} aria-expanded={isPicture ? isOpen : undefined}>
        {translate(isPicture ? (isOpen ? 'console.file.hide' : 'console.file.show') : 'console.file.save', { text })}
      </Button>
      <Problem error={error} />
      {isOpen && (
        <Box sx={{ mt: 1 }}>
          <Picture address={addressOf(path, params)} text={text} />
        </Box>
      )}
    </Box>
  );
}
