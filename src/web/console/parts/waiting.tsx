import { Box, Link as MuiLink, Typography } from '@mui/material';
import type { ReactNode } from 'react';
import { useTranslate } from 'react-admin';
import { Link } from 'react-router';
import { Section } from './facts';
import { Instant } from './instant';
import { Problem } from './problem';

export interface Waiting {
  id: string;
  what: ReactNode;
  since: string;
  /** Where something can be done about it. */
  to: string;
}

export interface WaitingSectionProps {
  title: string;
  /** Undefined until it is known. */
  first: readonly Waiting[] | undefined;
  /** There are more than these. */
  hasMore: boolean;
  /** Where all of them are. */
  all: string;
  /** When there is nothing. */
  none: string;
  error: unknown;
}

/** What waits for this person, the longest first: the first few, and the way to all of them. */
export function WaitingSection({ title, first, hasMore, all, none, error }: WaitingSectionProps) {
  const translate = useTranslate();
  return (
    <Section title={title}>
      <Problem error={error} />
      {first?.length === 0 && <Typography color="text.secondary">{none}</Typography>}
      <Box component="ul" sx={{ listStyle: 'none', p: 0, m: 0 }}>
        {first?.map(({ id, what, since, to }) => (
          <Box
            component="li"
            key={id}
            sx={{ py: 0.75, borderBottom: 1, borderColor: 'divider', overflowWrap: 'anywhere' }}
          >
            <MuiLink component={Link} to={to}>
              {what}
            </MuiLink>{' '}
            <Typography component="span" variant="body2" color="text.secondary">
              {translate('console.record.since')} <Instant at={since} />
            </Typography>
          </Box>
        ))}
      </Box>
      {hasMore && (
        <Typography sx={{ mt: 1 }}>
          <MuiLink component={Link} to={all}>
            {translate('console.list.all')}
          </MuiLink>
        </Typography>
      )}
    </Section>
  );
}
