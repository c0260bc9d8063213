import { Alert, Box, Button, Typography } from '@mui/material';
import { useState } from 'react';
import { useTranslate } from 'react-admin';

/** New recovery codes: shown this once, to be copied or saved. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const translate = useTranslate();
  const [isCopied, setCopied] = useState(false);
  const text = `${codes.join('\n')}\n`;
  const save = () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = 'tillway-recovery-codes.txt';
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <Box sx={{ display: 'grid', gap: 1.5 }}>
      <Alert severity="warning">{translate('account.recovery.once')}</Alert>
      <Box component="ul" sx={{ m: 0, pl: 3, columns: 2 }}>
        {codes.map((code) => (
          <Typography key={code} component="li" sx={{ fontFamily: 'monospace' }}>
            {code}
          </Typography>
        ))}
      </Box>
      <Box sx={{ display: 'flex', gap: 1 }}>
        <Button
          size="small"
          variant="outlined"
          onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true))}
        >
          {translate(isCopied ? 'console.record.copied' : 'console.record.copy')}
        </Button>
        <Button size="small" variant="outlined" onClick={save}>
          {translate('account.recovery.save')}
        </Button>
      </Box>
    </Box>
  );
}
