import { Box, Typography } from '@mui/material';
import type { ReactNode } from 'react';

export interface HeadingProps {
  /** What the browser's tab and history call the page. */
  title: string;
  /** What the page calls itself, where that is more than the title. */
  children?: ReactNode;
  /** Beside it: a status. */
  mark?: ReactNode;
  acts?: ReactNode;
}

/** The heading of a page: each page has exactly one. */
export function Heading({ title, children, mark, acts }: HeadingProps) {
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center', mt: 2, mb: 2 }}>
      <title>{`${title} · Tillway`}</title>
      <Typography variant="h5" component="h1" sx={{ overflowWrap: 'anywhere' }}>
        {children ?? title}
      </Typography>
      {mark}
      <Box sx={{ flex: 1 }} />
      {acts && <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>{acts}</Box>}
    </Box>
  );
}
