import { randomUUID } from 'node:crypto';
import { generate } from 'otplib';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, Caller, type Json, type Reply, send, until } from './client';

const { credentials, apiUrl } = sharedStack();
const { tenantId } = credentials;
const BASE = '/customer/1.0.0';
const AUTH = '/auth/1.0.0/customers';
const PASSWORD = 'correct horse battery staple';

let tenantAdmin: Caller;
let stranger: Actors;

beforeAll(async () => {
  tenantAdmin = (await actorsOf(credentials)).tenantAdmin;
  stranger = await actorsOf(credentials, credentials.other);
});

const put = (who: Caller, path: string, body: unknown, headers: Record<string, string> = {}) =>
  send(apiUrl + path, { method: 'PUT', headers: { ...who.headers, ...headers }, body });
const remove = (who: Caller, path: string, headers: Record<string, string> = {}) =>
  send(apiUrl + path, { method: 'DELETE', headers: { ...who.headers, ...headers } });

/** Messages to an address, newest first. */
const mailbox = async (to: string): Promise<Json[]> =>
  (await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(to)}`)).body.data;

/** Waits until so many messages have arrived there; answers the newest. */
const letter = (to: string, count = 1): Promise<Json> =>
  until(`message ${count} to ${to}`, async () => {
    const letters = await mailbox(to);
    return letters.length >= count && letters[0];
  });
const codeIn = ({ text }: Json): string => /\b\d{6}\b/.exec(text)![0];

interface Person {
  customerId: string;
  email: string;
  phone: string;
}

/** A customer of the first tenant with a password; nothing is verified yet. */
async function newcomer(): Promise<Person> {
  const email = `eve-${randomUUID()}@example.com`;
  const phone = `+4479${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
  const { status, body } = await tenantAdmin.post(`${BASE}/create`, {
    customerType: 'Person',
    customerName: 'Eve Moneypenny',
    person: {
      firstName: { name: 'Eve' },
      lastName: { name: 'Moneypenny' },
      email,
      password: PASSWORD,
      telephoneNumbers: [{ phoneType: 'mobile', number: phone }],
    },
  });
  if (status !== 201) throw new Error(`not created: ${JSON.stringify(body)}`);
  return { customerId: body.customerId, email, phone };
}

async function verify({ customerId }: Person, type: 'email' | 'phone', value: string, who = tenantAdmin) {
  const earlier = (await mailbox(value)).length;
  const { status, body } = await who.post(`${BASE}/${customerId}/verifications`, { type, value });
  if (status !== 201) throw new Error(`no code: ${JSON.stringify(body)}`);
  const code = codeIn(await letter(value, earlier + 1));
  return who.post(`${BASE}/${customerId}/verifications/confirm`, { sessionId: body.sessionId, code });
}

/** The same with a verified e-mail address. */
async function member(): Promise<Person> {
  const person = await newcomer();
  const { status } = await verify(person, 'email', person.email);
  if (status !== 200) throw new Error('not verified');
  return person;
}

const signIn = (body: Json): Promise<Reply> =>
  send(`${apiUrl}${AUTH}/token`, { method: 'POST', body: { tenantId, password: PASSWORD, ...body } });

async function signedIn({ email }: Person, more: Json = {}): Promise<Caller> {
  const { status, body } = await signIn({ email, ...more });
  if (status !== 200) throw new Error(`not signed in: ${status} ${JSON.stringify(body)}`);
  return new Caller(apiUrl, { authorization: `Bearer ${body.access_token}`, tenantid: tenantId });
}

const lookup = (credential: Json, who = tenantAdmin) => who.post(`${BASE}/getCredentials`, { credential });
const settingsOf = (who: Caller, { customerId }: Person) => who.get(`${BASE}/twoFA/${customerId}`);
const change = (who: Caller, { customerId }: Person, body: Json, headers = {}) =>
  put(who, `${BASE}/twoFA/changeTwoFa/${customerId}`, body, headers);
const answering = ({ body }: Reply, code: string) => ({
  'x-two-factor-session': body.session.sessionId,
  'x-two-factor-code': code,
});
const wrongFor = (code: string) => (code === '000000' ? '000001' : '000000');

describe('getCredentials', () => {
  test('sends a code to a verified address, and turns it into a token once', async () => {
    const person = await member();
    const asked = await lookup({ credentialType: 'email', value: person.email.toUpperCase() });
    expect(asked.status).toBe(200);
    expect(asked.body).toEqual([
      {
        userId: person.customerId,
        customerId: person.customerId,
        personId: person.customerId,
        tenantId,
        organizationId: '',
        credentials: [{ sessionId: expect.stringMatching(/^ses_/), value: person.email.toUpperCase(), token: '' }],
        twoFaInfo: [
          expect.objectContaining({ userId: person.customerId, login: false, trading: false, funding: false }),
        ],
      },
    ]);
    const code = codeIn(await letter(person.email, 2));
    const answered = await lookup({ credentialType: 'email', value: person.email, code });
    const [{ sessionId, token }] = answered.body[0].credentials;
    expect(sessionId).toBe(asked.body[0].credentials[0].sessionId);
    const customer = new Caller(apiUrl, { authorization: `Bearer ${token}`, tenantid: tenantId });
    expect((await settingsOf(customer, person)).status).toBe(200);
    const again = await lookup({ credentialType: 'email', value: person.email, code });
    expect(again).toMatchObject({ status: 422, body: { code: 'code_refused' } });
  });

  test('the seeded customer of each tenant can sign in so, and by its password', async () => {
    for (const [seed, admin] of [
      [credentials, tenantAdmin],
      [credentials.other, stranger.tenantAdmin],
    ] as const) {
      const { email, customerId, password } = seed.customer;
      const before = (await mailbox(email)).length;
      expect((await lookup({ credentialType: 'email', value: email }, admin)).body[0]).toMatchObject({ customerId });
      const code = codeIn(await letter(email, before + 1));
      expect(
        (await lookup({ credentialType: 'email', value: email, code }, admin)).body[0].credentials[0].token,
      ).toMatch(/./);
      expect(await signIn({ tenantId: seed.tenantId, email, password })).toMatchObject({
        status: 200,
        body: { customerId },
      });
    }
  });

  test('a value that names nobody, or another tenant’s customer: an empty list, with and without a code', async () => {
    const person = await member();
    for (const code of [undefined, '123456']) {
      expect((await lookup({ credentialType: 'email', value: `${randomUUID()}@example.com`, code })).body).toEqual([]);
      const foreign = await lookup({ credentialType: 'email', value: person.email, code }, stranger.tenantAdmin);
      expect(foreign).toMatchObject({ status: 200, body: [] });
    }
    expect(await mailbox(person.email)).toHaveLength(1);
  });

  test('nothing goes to an address that is not verified, whoever names it', async () => {
    const person = await newcomer();
    const element = (await lookup({ credentialType: 'email', value: person.email })).body[0];
    expect(element).toMatchObject({ customerId: person.customerId, credentials: [] });
    await verify(person, 'email', person.email);
    const elsewhere = `mallory-${randomUUID()}@example.com`;
    for (const addressUrl of [elsewhere, person.phone])
      for (const type of ['phone', 'email'])
        await lookup({ credentialType: 'email', value: person.email, communicationChannel: { type, addressUrl } });
    await letter(person.email, 5);
    expect(await mailbox(elsewhere)).toEqual([]);
    expect(await mailbox(person.phone)).toEqual([]);
  });

  test('the channel chooses among verified addresses', async () => {
    const person = await member();
    await verify(person, 'phone', person.phone);
    await lookup({ credentialType: 'email', value: person.email, communicationChannel: { type: 'phone' } });
    const sms = await letter(person.phone, 2);
    expect(sms.channel).toBe('sms');
    const answered = await lookup({ credentialType: 'phone', value: person.phone, code: codeIn(sms) });
    expect(answered.body[0].credentials[0].token).toMatch(/./);
  });

  test('a code has five tries, alone and all at once', async () => {
    const person = await member();
    const ask = (code?: string) => lookup({ credentialType: 'email', value: person.email, code });
    await ask();
    const code = codeIn(await letter(person.email, 2));
    for (let tries = 0; tries < 5; tries += 1) expect((await ask(wrongFor(code))).status).toBe(422);
    expect((await ask(code)).status).toBe(422);
    await ask();
    const next = codeIn(await letter(person.email, 3));
    const replies = await Promise.all(Array.from({ length: 4 }, () => ask(next)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('too many codes for one customer: 429, alike for a value that names nobody', async () => {
    const person = await member();
    for (const value of [person.email, `${randomUUID()}@example.com`]) {
      let reply = await lookup({ credentialType: 'email', value });
      for (let more = 0; more < 21 && reply.status === 200; more += 1)
        reply = await lookup({ credentialType: 'email', value });
      expect(reply.status).toBe(429);
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });
});

describe('a customer’s token', () => {
  test('is good for that customer alone, and for no route of others', async () => {
    const [one, other] = await Promise.all([member(), member()]);
    const customer = await signedIn(one);
    expect((await settingsOf(customer, one)).status).toBe(200);
    expect((await settingsOf(customer, other)).status).toBe(404);
    expect((await change(customer, other, { login: true })).status).toBe(404);
    expect((await customer.get(`${BASE}/listByTenant/${tenantId}`)).status).toBe(403);
    expect((await lookup({ credentialType: 'email', value: one.email }, customer)).status).toBe(403);
    const abroad = { tenantid: credentials.other.tenantId };
    expect((await customer.get(`${BASE}/twoFA/${one.customerId}`, abroad)).status).toBe(403);
  });

  test('ends at once when it is ended, and with its customer', async () => {
    const person = await member();
    const [customer, second] = [await signedIn(person), await signedIn(person)];
    expect((await settingsOf(second, person)).status).toBe(200);
    expect((await remove(customer, `${BASE}/${person.customerId}/tokens`)).status).toBe(204);
    for (const who of [customer, second]) expect((await settingsOf(who, person)).status).toBe(401);
    const third = await signedIn(person);
    await remove(tenantAdmin, `${BASE}/delete/${person.customerId}`);
    expect((await settingsOf(third, person)).status).toBe(401);
    expect((await signIn({ email: person.email })).status).toBe(401);
  });
});

describe('a password', () => {
  test('signs in by e-mail and telephone number; refusals are all alike', async () => {
    const person = await newcomer();
    for (const name of [{ email: person.email }, { phone: person.phone }])
      expect(await signIn(name)).toMatchObject({
        status: 200,
        body: { token_type: 'Bearer', expires_in: 900, customerId: person.customerId },
      });
    const wrong = await signIn({ email: person.email, password: 'wrong' });
    const unknown = await signIn({ email: 'nobody@example.com' });
    const abroad = await signIn({ email: person.email, tenantId: credentials.other.tenantId });
    for (const refused of [wrong, unknown, abroad]) {
      expect(refused.status).toBe(401);
      expect(refused.body.message).toBe(wrong.body.message);
    }
  });

  test('is locked by ten wrong tries; a reset frees it, ends tokens and leaves the second factor on', async () => {
    const person = await member();
    const customer = await signedIn(person);
    await change(customer, person, { login: true });
    for (let tries = 0; tries < 10; tries += 1)
      expect((await signIn({ email: person.email, password: `wrong ${tries}` })).status).toBe(401);
    expect((await signIn({ email: person.email })).status).toBe(401);

    const ask = (email: string) =>
      send(`${apiUrl}${AUTH}/password-reset`, { method: 'POST', body: { tenantId, email } });
    const known = await ask(person.email);
    const unknown = await ask(`${randomUUID()}@example.com`);
    expect([known.status, unknown.status]).toEqual([202, 202]);
    expect(known.body).toEqual(unknown.body);
    const [url, token] = /https?:\S+token=(\S+)/.exec((await letter(person.email, 2)).text)!;
    expect((await send(url!)).body).toContain('New password');
    const confirm = (password: string) =>
      send(`${apiUrl}${AUTH}/password-reset/confirm`, { method: 'POST', body: { token, password } });
    expect((await confirm('short')).status).toBe(400);
    const replies = await Promise.all([confirm('a new password'), confirm('another password')]);
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 422]);
    expect((await settingsOf(customer, person)).status).toBe(401);
    const password = replies[0]!.status === 204 ? 'a new password' : 'another password';
    const reply = await signIn({ email: person.email, password });
    expect(reply).toMatchObject({ status: 422, body: { code: 'two_factor_required' } });
  });

  test('is reset on the page that the link opens, but never by an address that is not verified', async () => {
    const person = await newcomer();
    const ask = () =>
      send(`${apiUrl}${AUTH}/password-reset`, { method: 'POST', body: { tenantId, email: person.email } });
    await ask();
    await verify(person, 'email', person.email);
    expect(await mailbox(person.email)).toHaveLength(1);
    await ask();
    const [, token] = /token=(\S+)/.exec((await letter(person.email, 2)).text)!;
    const post = (again: string) =>
      send(`${apiUrl}/password-reset`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ token: token!, password: 'brand new one', again }).toString(),
      });
    const look = (of: string) => send(`${apiUrl}/password-reset?token=${of}`);
    expect((await look(token!)).status).toBe(200);
    expect(await look('A'.repeat(43))).toMatchObject({ status: 422, body: expect.not.stringContaining('<form') });
    expect((await post('brand old one')).status).toBe(400);
    const done = await post('brand new one');
    expect([done.status, done.body]).toEqual([200, expect.stringContaining('sign in')]);
    expect((await post('brand new one')).status).toBe(422);
    expect(await look(token!)).toMatchObject({ status: 422, body: expect.stringContaining('ask for a new one') });
    expect((await signIn({ email: person.email, password: 'brand new one' })).status).toBe(200);
  });

  test('changed by the tenant, ends the tokens it had given', async () => {
    const person = await member();
    const customer = await signedIn(person);
    const { status } = await put(tenantAdmin, `${BASE}/update/${person.customerId}`, {
      person: { password: 'set by the tenant' },
    });
    expect(status).toBe(200);
    expect((await settingsOf(customer, person)).status).toBe(401);
    expect((await signIn({ email: person.email, password: 'set by the tenant' })).status).toBe(200);
  });
});

describe('the second factor', () => {
  test('is set by the documented call and answered as the documented record', async () => {
    const person = await member();
    const { body } = await change(tenantAdmin, person, { funding: true, customerId: person.customerId });
    expect(body).toEqual({
      id: expect.stringMatching(/^tfa_/),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      tenantId,
      userId: person.customerId,
      login: false,
      trading: false,
      funding: true,
    });
    expect((await change(tenantAdmin, person, { login: true })).body).toMatchObject({
      id: body.id,
      login: true,
      funding: true,
    });
    const mixed = await change(tenantAdmin, person, { customerId: credentials.customer.customerId });
    expect(mixed).toMatchObject({ status: 400, body: { details: [{ field: 'customerId' }] } });
    const customer = await signedIn(person, await answerOf(person));
    const off = await change(customer, person, { login: false });
    expect(off).toMatchObject({ status: 422, body: { code: 'two_factor_required', session: { method: 'email' } } });
    const code = codeIn(await letter(person.email, 3));
    expect((await change(customer, person, { login: false }, answering(off, wrongFor(code)))).status).toBe(422);
    expect(await change(customer, person, { login: false }, answering(off, code))).toMatchObject({
      status: 200,
      body: { login: false },
    });
    expect((await signIn({ email: person.email })).status).toBe(200);
  });

  /** The session of a sign-in and the code that was sent for it. */
  async function answerOf({ email }: Person) {
    const earlier = (await mailbox(email)).length;
    const { body } = await signIn({ email });
    return { sessionId: body.session.sessionId, code: codeIn(await letter(email, earlier + 1)) };
  }

  test('at sign-in is asked for after the right password only, and a code is good for its own session', async () => {
    const person = await member();
    await change(tenantAdmin, person, { login: true });
    expect((await signIn({ email: person.email, password: 'wrong' })).status).toBe(401);
    expect(await mailbox(person.email)).toHaveLength(1);
    const first = await answerOf(person);
    const second = await answerOf(person);
    expect((await signIn({ email: person.email, sessionId: first.sessionId, code: second.code })).status).toBe(422);
    expect((await signIn({ email: person.email, ...first, password: 'wrong' })).status).toBe(401);
    expect((await signIn({ email: person.email, ...second })).status).toBe(200);
    expect((await signIn({ email: person.email, ...second })).status).toBe(422);
  });

  test('an authenticator counts once confirmed, refuses a code that was used, and has recovery codes', async () => {
    const person = await member();
    const customer = await signedIn(person);
    const path = `${BASE}/${person.customerId}/totp`;
    const unproven = await customer.post(path);
    expect(unproven).toMatchObject({
      status: 422,
      body: { code: 'two_factor_required', session: { method: 'email' } },
    });
    const proof = codeIn(await letter(person.email, 2));
    expect((await customer.post(path, undefined, answering(unproven, wrongFor(proof)))).status).toBe(422);
    const { status, body } = await customer.post(path, undefined, answering(unproven, proof));
    expect(status).toBe(201);
    expect(body).toMatchObject({
      uri: expect.stringContaining(body.secret),
      png: expect.stringMatching(/^data:image\/png;base64,/),
      svg: expect.stringMatching(/^data:image\/svg\+xml,/),
    });
    await change(customer, person, { login: true });
    expect((await signIn({ email: person.email })).body.session.method).toBe('email');
    expect((await customer.post(`${path}/confirm`, { code: '000000' })).status).toBe(422);
    const code = await generate({ secret: body.secret });
    const { recoveryCodes } = (await customer.post(`${path}/confirm`, { code })).body;
    expect(new Set(recoveryCodes).size).toBe(10);

    const attempt = async (answer: string) => {
      const asked = await signIn({ email: person.email });
      expect(asked.body.session.method).toBe('totp');
      return (await signIn({ email: person.email, sessionId: asked.body.session.sessionId, code: answer })).status;
    };
    expect(await attempt(code)).toBe(422);
    expect(await attempt(await generate({ secret: body.secret, epoch: Date.now() / 1000 + 30 }))).toBe(200);
    expect(await attempt(recoveryCodes[0])).toBe(200);
    expect(await attempt(recoveryCodes[0])).toBe(422);

    const refused = await remove(customer, path);
    expect(refused).toMatchObject({ status: 422, body: { code: 'two_factor_required' } });
    const renewed = await customer.post(
      `${BASE}/${person.customerId}/recoveryCodes`,
      undefined,
      answering(refused, recoveryCodes[1]),
    );
    expect(renewed.status).toBe(201);
    expect(await attempt(recoveryCodes[2])).toBe(422);
    expect((await remove(tenantAdmin, path)).status).toBe(204);
    expect((await signIn({ email: person.email })).body.session.method).toBe('email');
  });
});

describe('an address', () => {
  test('is verified by the code that was sent there, once it is in the record', async () => {
    const person = await newcomer();
    const elsewhere = `${randomUUID()}@example.com`;
    const refused = await tenantAdmin.post(`${BASE}/${person.customerId}/verifications`, {
      type: 'email',
      value: elsewhere,
    });
    expect(refused.status).toBe(400);
    expect(await mailbox(elsewhere)).toEqual([]);
    const customer = await signedIn(person);
    expect(await verify(person, 'phone', person.phone, customer)).toMatchObject({
      status: 200,
      body: { verified: true },
    });
    const { body } = await put(tenantAdmin, `${BASE}/update/${person.customerId}`, {
      twofa: { targetType: 'Email', targetValue: person.email },
    });
    expect(body.twofa.codematch).toBe(false);
    await verify(person, 'email', person.email);
    const { body: record } = await tenantAdmin.get(`${BASE}/fetch/${person.customerId}`);
    expect(record.twofa).toEqual({ targetType: 'Email', targetValue: person.email, codematch: true });
  });

  test('that is changed is no longer verified', async () => {
    const person = await member();
    const email = `new-${randomUUID()}@example.com`;
    await put(tenantAdmin, `${BASE}/update/${person.customerId}`, { person: { email } });
    expect((await lookup({ credentialType: 'email', value: email })).body[0].credentials).toEqual([]);
    expect((await lookup({ credentialType: 'email', value: person.email })).body).toEqual([]);
    expect(await mailbox(email)).toEqual([]);
  });
});

test('the mailbox is a page for people, with its messages as text', async () => {
  const person = await member();
  const page = await send(`${apiUrl}/sandbox/mailbox?to=${person.email}`, { headers: { accept: 'text/html' } });
  expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  expect(page.body).toContain('viewport');
  expect(page.body).toContain(codeIn((await mailbox(person.email))[0]));
});
