import ContentCopyIcon from '@mui/icons-material/ContentCopy';
import { Box, Card, CardContent, IconButton, Tooltip, Typography } from '@mui/material';
import { type ReactNode, useState } from 'react';
import { useTranslate } from 'react-admin';

/** A part of a page with a heading. */
export function Section({ title, acts, children }: { title: string; acts?: ReactNode; children: ReactNode }) {
  return (
    <Card component="section" aria-label={title} sx={{ mb: 2, overflow: 'visible' }}>
      <CardContent sx={{ '&:last-child': { pb: 2 } }}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: 1 }}>
          <Typography variant="h6" component="h2" sx={{ flex: 1, minWidth: 'min(100%, 12rem)' }}>
            {title}
          </Typography>
          {acts}
        </Box>
        {children}
      </CardContent>
    </Card>
  );
}

/** Names and values. What has no value is left out. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <Box
      component="dl"
      sx={{
        display: 'grid',
        gridTemplateColumns: { xs: '1fr', sm: 'minmax(10rem, max-content) 1fr' },
        columnGap: 3,
        rowGap: { xs: 0, sm: 0.75 },
        m: 0,
      }}
    >
      {children}
    </Box>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === undefined || children === null || children === '' || children === false) return null;
  return (
    <>
      <Typography component="dt" color="text.secondary" variant="body2">
        {name}
      </Typography>
      <Typography component="dd" variant="body2" sx={{ m: 0, mb: { xs: 1, sm: 0 }, overflowWrap: 'anywhere' }}>
        {children}
      </Typography>
    </>
  );
}

/** An id or a key: shown as it is, and copied with one press. */
export function Copyable({ text, label }: { text: string; label?: string }) {
  const translate = useTranslate();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  const name = `${translate(isCopied ? 'console.record.copied' : 'console.record.copy')}: ${label ?? text}`;
  return (
    <Box component="span" sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.5, minWidth: 0 }}>
      <Box component="code" sx={{ fontSize: '0.85em', overflowWrap: 'anywhere' }}>
        {text}
      </Box>
      <Tooltip title={name} describeChild={false}>
        <IconButton size="small" aria-label={name} onClick={copy}>
          <ContentCopyIcon sx={{ fontSize: 15 }} />
        </IconButton>
      </Tooltip>
    </Box>
  );
}
