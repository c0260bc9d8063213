import type { sharedStack } from '../../setup/stack';
import { enterSeeded, SESSION } from '../staff';
import type { Visitor } from './visitor';

type Credentials = ReturnType<typeof sharedStack>['credentials'];

/** Signs a seeded person in once, for several visitors: each code of an authenticator is good once. */
export async function seededSession(
  { apiUrl, users }: Credentials,
  who: 'merchant' | 'tenantAdmin' | 'ops',
): Promise<(visitor: Visitor) => Promise<void>> {
  const { status, headers } = await enterSeeded(apiUrl, users[who], SESSION);
  if (status !== 201) throw new Error(`${who} cannot sign in: ${status}`);
  const cookies = headers.getSetCookie().map((line) => {
    const [pair = ''] = line.split(';');
    const at = pair.indexOf('=');
    return { name: pair.slice(0, at), value: pair.slice(at + 1), url: apiUrl };
  });
  return (visitor) => visitor.page.context().addCookies(cookies);
}
