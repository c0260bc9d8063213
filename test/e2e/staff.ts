import { randomUUID } from 'node:crypto';
import { generate } from 'otplib';
import { Caller, type Json, type Reply, send, until } from './client';

/** People who sign in as merchant, tenant admin or operator: of a test's own, so that no other test ends their sessions. */

export const PASSWORD = 'plum-orbit-lantern-42';
/** What the console sends with each request that changes something. */
export const OURS = { 'x-requested-with': 'tillway-console' };
export const SESSION = '/auth/1.0.0/users/session';
export const TOKEN = '/auth/1.0.0/users/token';
export const TOTP = '/auth/1.0.0/users/totp';

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

/** Somebody whom `by` has invited, with a password and without a second factor. */
export async function invited(by: Caller, role: string, more: object = {}): Promise<Login> {
  const email = addressOf();
  const { body: user } = await by.post('/identity/1.0.0/users', { email, name: 'Ada Lovelace', role, ...more });
  await choosePassword(by.apiUrl, await linkTo(by.apiUrl, email));
  return { userId: user.userId, email, password: PASSWORD };
}

/** The cookie that an answer sets, as a browser sends it back. */
export const cookieOf = (headers: Headers): string => headers.get('set-cookie')?.split(';')[0] ?? '';

/** A caller whose session is a cookie, from our own page. */
export const callerWith = (apiUrl: string, cookie: string, more: Record<string, string> = {}) =>
  new Caller(apiUrl, { cookie, ...OURS, ...more });

/** Somebody with an authenticator app, who is signed in. */
export class Staff {
  private constructor(
    readonly login: Login,
    /** Signed in with a bearer token. */
    readonly caller: Caller,
    /** Base32, of the authenticator. */
    readonly secret: string,
    /** Each is good for one sign-in, whatever the time is. */
    readonly recoveryCodes: string[],
  ) {}

  static async create(by: Caller, role: string, more: object = {}): Promise<Staff> {
    const login = await invited(by, role, more);
    const { body } = await send(by.apiUrl + TOKEN, { method: 'POST', body: credentialsOf(login) });
    const caller = new Caller(by.apiUrl, { authorization: `Bearer ${body.access_token}` });
    const { secret } = (await caller.post(TOTP)).body;
    const confirmed = await caller.post(`${TOTP}/confirm`, { code: await generate({ secret }) });
    return new Staff(login, caller, secret, confirmed.body.recoveryCodes);
  }

  /** Signs in again, with a recovery code. `path`: with a token or a cookie. */
  enter(path: typeof TOKEN | typeof SESSION = TOKEN): Promise<Reply> {
    const body = { ...credentialsOf(this.login), code: this.recoveryCodes.pop() };
    return send(this.caller.apiUrl + path, { method: 'POST', body });
  }

  /** Signed in once more: with a token, or with a cookie. */
  async another(path: typeof TOKEN | typeof SESSION = TOKEN): Promise<Caller> {
    const { apiUrl } = this.caller;
    const { body, headers } = await this.enter(path);
    if (path === SESSION) return callerWith(apiUrl, cookieOf(headers));
    return new Caller(apiUrl, { authorization: `Bearer ${body.access_token}` });
  }
}

export const credentialsOf = ({ email, password }: Pick<Login, 'email' | 'password'>) => ({ email, password });

/**
 * Signs in somebody of `credentials.json`. Each code is good once, and other tests sign in too: waits for a code that
 * nobody has used.
 */
export async function enterSeeded(
  apiUrl: string,
  { email, password, totpSecret: secret }: { email: string; password: string; totpSecret: string },
  path: typeof TOKEN | typeof SESSION = TOKEN,
): Promise<Reply> {
  const tried = new Set<string>();
  return until(`an unused code of ${email}`, async () => {
    const code = await generate({ secret });
    if (tried.has(code)) return undefined;
    tried.add(code);
    const reply = await send(apiUrl + path, { method: 'POST', body: { email, password, code } });
    return reply.body.code === 'code_refused' ? undefined : reply;
  });
}
