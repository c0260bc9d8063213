import { usePermissions, useTranslate } from 'react-admin';
import { Heading } from '../parts/heading';
import type { Person } from '../session/session';

/** The first page after signing in: what the role wants to know first. */
export function HomePage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  if (!person) return null;
  return <Heading title={translate('console.menu.home')} />;
}
