import { randomUUID } from 'node:crypto';
import { type Caller, type Json, send, until } from './client';

/** People who sign in as merchant, tenant admin or operator: of a test's own, so that no other test ends their sessions. */

export const PASSWORD = 'plum-orbit-lantern-42';
/** What the console sends with each request that changes something. */
export const OURS = { 'x-requested-with': 'tillway-console' };
export const SESSION = '/auth/1.0.0/users/session';

export interface Login {
  userId: string;
  email: string;
  password: string;
}

export const addressOf = (name = 'person') => `${name}-${randomUUID()}@staff.example`;

/** The newest link to choose a password with that was sent to an address. */
export async function linkTo(apiUrl: string, email: string): Promise<string> {
  return until(`a link to ${email}`, async () => {
    const { body } = await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(email)}`);
    return body.data.flatMap(({ text }: Json) => /\?token=([\w-]+)/.exec(text)?.[1] ?? [])[0];
  });
}

export const choosePassword = (apiUrl: string, token: string, password = PASSWORD) =>
  send(`${apiUrl}/onboarding/1.0.0/password`, { method: 'POST', body: { token, password } });

/** Somebody whom `by` has invited, with a password. */
export async function invited(by: Caller, role: string, more: object = {}): Promise<Login> {
  const email = addressOf();
  const { body: user } = await by.post('/identity/1.0.0/users', { email, name: 'Ada Lovelace', role, ...more });
  await choosePassword(by.apiUrl, await linkTo(by.apiUrl, email));
  return { userId: user.userId, email, password: PASSWORD };
}

/** The cookie that an answer sets, as a browser sends it back. */
export const cookieOf = (headers: Headers): string => headers.get('set-cookie')?.split(';')[0] ?? '';
