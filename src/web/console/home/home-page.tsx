import { usePermissions, useTranslate } from 'react-admin';
import { Heading } from '../parts/heading';
import { shownAreas } from '../registry';
import type { Person } from '../session/session';

/** The first page after signing in: what each area wants to tell this role first. */
export function HomePage() {
  const translate = useTranslate();
  const { permissions: person } = usePermissions<Person>();
  if (!person) return null;
  const parts = shownAreas().flatMap(({ home }) => home?.[person.role] ?? []);
  return (
    <>
      <Heading title={translate('console.menu.home')} />
      {parts.map((Part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the areas stand in one order
        <Part key={index} />
      ))}
    </>
  );
}
