import { Box } from '@mui/material';
import type { ReactNode } from 'react';

/** An id or a text that may break anywhere, so that a table of them fits its place. */
export function Wrapped({ children }: { children: ReactNode }) {
  return (
    <Box component="span" sx={{ display: 'inline-block', minWidth: 110, overflowWrap: 'anywhere' }}>
      {children}
    </Box>
  );
}
