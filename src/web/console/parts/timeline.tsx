import { Box, Typography } from '@mui/material';
import type { ReactNode } from 'react';
import { Instant } from './instant';

export interface Step {
  at: string;
  what: ReactNode;
  detail?: ReactNode;
}

/** What happened, oldest first. */
export function Timeline({ steps }: { steps: readonly Step[] }) {
  return (
    <Box component="ol" sx={{ listStyle: 'none', p: 0, m: 0 }}>
      {steps.map(({ at, what, detail }, index) => (
        <Box
          component="li"
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end
          key={index}
          sx={{ borderLeft: 2, borderColor: 'divider', pl: 2, pb: 1.5, position: 'relative' }}
        >
          <Box
            aria-hidden
            sx={{
              position: 'absolute',
              left: -6,
              top: 5,
              width: 10,
              height: 10,
              borderRadius: '50%',
              bgcolor: 'primary.main',
            }}
          />
          <Typography variant="body2" component="div" sx={{ fontWeight: 600 }}>
            {what}
          </Typography>
          {detail && (
            <Typography variant="body2" component="div" sx={{ overflowWrap: 'anywhere' }}>
              {detail}
            </Typography>
          )}
          <Typography variant="caption" color="text.secondary">
            <Instant at={at} />
          </Typography>
        </Box>
      ))}
    </Box>
  );
}
