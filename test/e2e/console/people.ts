import type { sharedStack } from '../../setup/stack';
import type { Caller } from '../client';
import { cookieOf, enterSeeded, SESSION, Staff } from '../staff';
import type { Visitor } from './visitor';

type Credentials = ReturnType<typeof sharedStack>['credentials'];

/** Signs a seeded person in once, for several visitors: each code of an authenticator is good once. */
export async function seededSession(
  { apiUrl, users }: Credentials,
  who: 'merchant' | 'tenantAdmin' | 'ops',
): Promise<(visitor: Visitor) => Promise<void>> {
  const { status, headers } = await enterSeeded(apiUrl, users[who], SESSION);
  if (status !== 201) throw new Error(`${who} cannot sign in: ${status}`);
  return entering(apiUrl, cookieOf(headers));
}

/** A new person whom `by` invites, signed in once for several visitors. */
export async function newPerson(
  by: Caller,
  role: string,
  more: object = {},
): Promise<(visitor: Visitor) => Promise<void>> {
  const person = await Staff.create(by, role, more);
  return entering(by.apiUrl, cookieOf((await person.enter(SESSION)).headers));
}

/** Has visitors enter with a session's cookie. */
function entering(apiUrl: string, cookie: string): (visitor: Visitor) => Promise<void> {
  const [name = '', ...value] = cookie.split('=');
  return (visitor) => visitor.page.context().addCookies([{ name, value: value.join('='), url: apiUrl }]);
}
