import { Link as Anchor } from '@mui/material';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

/** A link to another page of the console, in the colours of the light that was chosen. */
export function TextLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor component={Link} to={to}>
      {children}
    </Anchor>
  );
}
