import { ApiError, request } from '../server/api';
import { bindScope } from './scope';

export const ROLES = ['merchant', 'tenant_admin', 'ops'] as const;
export type Role = (typeof ROLES)[number];

/** Who is signed in. */
export interface Person {
  userId: string;
  name?: string;
  email: string;
  role: Role;
  tenantId?: string;
  organizationId?: string;
  /** The role needs a second factor and this person has none yet: nothing else works until then. */
  mustEnrol: boolean;
  /** RFC 3339. */
  expiresAt?: string;
}

const SESSION = '/auth/1.0.0/users/session';
let known: Promise<Person> | undefined;

/** Asks once and remembers. `again`: after signing in or enrolling. Throws ApiError 401 when nobody is signed in. */
export function whoAmI(again = false): Promise<Person> {
  if (again) known = undefined;
  known ??= request('get', SESSION, {})
    .then((response) => response.json() as Promise<Person>)
    .then((person) => {
      bindScope({ tenantId: person.tenantId, organizationId: person.organizationId });
      return person;
    })
    .catch((error) => {
      known = undefined;
      throw error;
    });
  return known;
}

/** Starts a session: the answer sets the cookie. Throws ApiError: 401, `two_factor_required`, `code_refused`, 429. */
export async function signIn(credentials: { email: string; password: string; code?: string }): Promise<Person> {
  // To its end: an answer that nobody reads keeps its connection busy.
  await (await request('post', SESSION, { body: credentials })).text();
  return whoAmI(true);
}

/** Starts a session with a passkey of this device. Throws ApiError: 401, 429; and what the browser throws when nobody chose one. */
export async function signInWithPasskey(): Promise<Person> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const options = await request('post', `${SESSION}/passkey/options`, {});
  const credential = await startAuthentication({ optionsJSON: await options.json() });
  await (await request('post', `${SESSION}/passkey/verify`, { body: { credential } })).text();
  return whoAmI(true);
}

export async function signOut(): Promise<void> {
  known = undefined;
  await request('delete', SESSION, {}).catch((error) => {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  });
}
