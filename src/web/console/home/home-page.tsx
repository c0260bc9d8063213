import { Card, CardContent, Typography } from '@mui/material';
import { Title, usePermissions, useTranslate } from 'react-admin';
import type { Person } from '../session/session';

/** The first page after signing in: what the role wants to know first. */
export function HomePage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  if (!person) return null;
  return (
    <Card sx={{ mt: 2 }}>
      <Title title={translate('console.menu.home')} />
      <CardContent>
        <Typography variant="h5" component="h1">
          {person.name ?? person.email}
        </Typography>
      </CardContent>
    </Card>
  );
}
