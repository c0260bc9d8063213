import { Link as Anchor } from '@mui/material';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

/** A link to another page of the console, in the colours of the light that was chosen. In a row that opens a page, it goes its own way. */
export function TextLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor component={Link} to={to} onClick={(event) => event.stopPropagation()}>
      {children}
    </Anchor>
  );
}
