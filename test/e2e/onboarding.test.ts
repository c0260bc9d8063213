import { randomBytes, randomUUID } from 'node:crypto';
import { generate } from 'otplib';
import { sharedStack } from '../setup/stack';
import { isGenuine, Receiver } from '../unit/edge/notifications/receiver';
import { type Actors, actorsOf, CARDS, Caller, type Json, Merchant, send, signIn, until } from './client';
import { enterSeeded, Staff } from './staff';

const { credentials, apiUrl } = sharedStack();
const BASE = '/onboarding/1.0.0';
const PASSWORD = 'plum-orbit-lantern-42';

let actors: Actors;
let stranger: Actors;
let receiver: Receiver;

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
  receiver = await new Receiver().listen();
});
afterAll(() => receiver.close());

const address = () => `contact-${randomUUID()}@shop.example`;
const application = (email: string, more: Json = {}): Json => ({
  businessName: 'Tea & Co',
  technicalContact: { name: 'Tess Tea', email, phone: '+447700900123' },
  country: 'DE',
  currencies: ['EUR'],
  ...more,
});

async function invite(email = address()): Promise<Json> {
  const { status, body } = await actors.tenantAdmin.post(`${BASE}/merchants`, application(email));
  if (status !== 201) throw new Error(`not created: ${JSON.stringify(body)}`);
  return body;
}

/** The tokens of the links in the messages to an address, newest first; waits until there are so many. */
async function linksTo(email: string, count = 1): Promise<string[]> {
  return until(`${count} messages to ${email}`, async () => {
    const { body } = await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(email)}`);
    const tokens = body.data.flatMap(({ text }: Json) => /\?token=([\w-]+)/.exec(text)?.[1] ?? []);
    return tokens.length >= count && tokens;
  });
}

const setPassword = (token: string, password = PASSWORD) =>
  send(`${apiUrl}${BASE}/password`, { method: 'POST', body: { token, password } });
const enter = (email: string, password = PASSWORD) =>
  send(`${apiUrl}/auth/1.0.0/users/token`, { method: 'POST', body: { email, password } });

async function signedIn(email: string, password = PASSWORD): Promise<Caller> {
  const { status, body } = await enter(email, password);
  if (status !== 200) throw new Error(`not signed in: ${JSON.stringify(body)}`);
  return new Caller(apiUrl, { authorization: `Bearer ${body.access_token}` });
}

/** A merchant whose technical user has a password. */
async function onBoard(): Promise<{ merchant: Json; email: string; user: Caller }> {
  const email = address();
  const merchant = await invite(email);
  const [token] = await linksTo(email);
  await setPassword(token!);
  return { merchant, email, user: await signedIn(email) };
}

async function codeOf(reply: Promise<Json>): Promise<[number, string]> {
  const { status, body } = await reply;
  return [status, body.code];
}

const rotate = (user: Caller, name: string, body?: Json) => user.post(`${BASE}/parameters/${name}/rotate`, body);
const endOverlap = (user: Caller, name: string) =>
  send(`${apiUrl}${BASE}/parameters/${name}/previous`, { method: 'DELETE', headers: user.headers });

test('from the invitation to the first payment', async () => {
  const email = address();
  const merchant = await invite(email);
  expect(merchant).toMatchObject({
    businessName: 'Tea & Co',
    state: 'invited',
    mode: 'sandbox',
    tenantId: credentials.tenantId,
    technicalContact: { email },
  });
  expect(Date.parse(merchant.invitationExpiresAt)).toBeGreaterThan(Date.now());
  const [token] = await linksTo(email);
  const { status, body } = await setPassword(token!);
  expect([status, body]).toEqual([
    200,
    { userId: merchant.userId, role: 'merchant', organizationId: merchant.organizationId },
  ]);

  const user = await signedIn(email);
  const first = (await user.get(`${BASE}/parameters`)).body;
  expect(first).toMatchObject({ terminalId: merchant.terminalId, clientId: expect.any(String) });
  const shop = new Merchant(apiUrl, {
    authorization: `Bearer ${await signIn(apiUrl, first.clientId, first.clientSecret.value)}`,
    organizationid: merchant.organizationId,
  });
  const { paymentId } = await shop.paid(CARDS.visa);
  const terminal = await signIn(apiUrl, first.terminalId, first.terminalPassword.value);
  expect((await shop.get('/payments/methods', { authorization: `Bearer ${terminal}` })).status).toBe(200);
  expect((await stranger.merchant.status(paymentId)) ?? null).toBeNull();

  const again = (await user.get(`${BASE}/parameters`)).body;
  for (const name of ['clientSecret', 'terminalPassword', 'callbackSecret']) {
    expect(again[name]).toMatchObject({ lastFour: first[name].value.slice(-4), shownAt: expect.any(String) });
    expect(again[name].value).toBeUndefined();
  }
  const { body: now } = await actors.tenantAdmin.get(`${BASE}/merchants/${merchant.organizationId}`);
  expect(now).toMatchObject({ state: 'active', userId: merchant.userId });
  expect(now.invitationExpiresAt).toBeUndefined();
});

test('a link is good once; a made-up one is refused alike', async () => {
  const email = address();
  await invite(email);
  const [token] = await linksTo(email);
  expect(await codeOf(setPassword(token!, 'Password1234'))).toEqual([400, 'invalid_request']);
  expect(await codeOf(setPassword(token!, 'TessTeaTessTea'))).toEqual([400, 'invalid_request']);
  expect((await setPassword(token!)).status).toBe(200);
  const [used, unknown] = await Promise.all([setPassword(token!), setPassword('A'.repeat(43))]);
  const plain = ({ status, body }: Json) => [status, body.code, body.message];
  expect(plain(used)).toEqual(plain(unknown));
  expect(plain(used).slice(0, 2)).toEqual([409, 'link_unusable']);
});

test('of two who use a link at once, one sets the password', async () => {
  const email = address();
  await invite(email);
  const [token] = await linksTo(email);
  const replies = await Promise.all(['one', 'two'].map((which) => setPassword(token!, `${PASSWORD}-${which}`)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('an invitation is sent anew, and the old link dies', async () => {
  const email = address();
  const { organizationId } = await invite(email);
  const [old] = await linksTo(email);
  const invitations = `${BASE}/merchants/${organizationId}/invitations`;
  expect(await actors.ops.post(invitations)).toMatchObject({ status: 201, body: { state: 'invited' } });
  const [fresh] = await linksTo(email, 2);
  expect(await codeOf(setPassword(old!))).toEqual([409, 'link_unusable']);
  expect((await setPassword(fresh!)).status).toBe(200);
  expect(await codeOf(actors.tenantAdmin.post(invitations))).toEqual([409, 'invalid_state']);
});

test('the link leads to a form that works without script', async () => {
  const email = address();
  await invite(email);
  const [token] = await linksTo(email);
  const page = `${apiUrl}/onboarding/password`;
  expect((await send(`${page}?token=${token}`)).body).toContain(`value="${token}"`);
  const submit = (password: string) =>
    send(page, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: token!, password, again: password }).toString(),
    });
  expect(await submit('aaaaaaaaaaaaaaaa')).toMatchObject({
    status: 400,
    body: expect.stringContaining('easy to guess'),
  });
  expect(await submit(PASSWORD)).toMatchObject({
    status: 200,
    body: expect.stringMatching(/Your password is set[\s\S]*Sign in with your e-mail address[\s\S]*\/users\/token/),
  });
  expect((await submit(PASSWORD)).status).toBe(422);
  await signedIn(email);
});

test('the page says at once when its link no longer works; looking at it does not use it up', async () => {
  const email = address();
  await invite(email);
  const [token] = await linksTo(email);
  const look = (of: string) => send(`${apiUrl}/onboarding/password?token=${of}`);
  // Mail scanners open links before the reader does.
  for (let looks = 0; looks < 3; looks += 1)
    expect(await look(token!)).toMatchObject({ status: 200, body: expect.stringContaining('New password') });
  expect((await setPassword(token!)).status).toBe(200);
  for (const dead of [token!, 'A'.repeat(43), '']) {
    const { status, body } = await look(dead);
    expect(status).toBe(422);
    expect(body).toContain('The link is wrong, used up or out of time. Please ask for a new one.');
    expect(body).not.toContain('<form');
  }
});

test('the same request twice makes one merchant; an address is one user’s', async () => {
  const email = address();
  const headers = { 'idempotency-key': randomUUID() };
  const body = application(email);
  const [one, two] = [
    await actors.tenantAdmin.post(`${BASE}/merchants`, body, headers),
    await actors.tenantAdmin.post(`${BASE}/merchants`, body, headers),
  ];
  expect(two.body).toEqual(one.body);
  expect(await codeOf(actors.tenantAdmin.post(`${BASE}/merchants`, body))).toEqual([409, 'duplicate_user']);
  expect(await codeOf(actors.ops.post(`${BASE}/merchants`, application(address())))).toEqual([400, 'invalid_request']);
  const tenantid: string = credentials.tenantId;
  const { body: page } = await actors.ops.get(`${BASE}/merchants?limit=200`, { tenantid });
  expect(page.data.map(({ organizationId }: Json) => organizationId)).toContain(one.body.organizationId);
  expect(JSON.stringify(page)).not.toContain('value');
});

test('ten wrong tries lock; a reset frees, ends what was signed in, and is good once', async () => {
  const { email, user } = await onBoard();
  const refused = await enter(address());
  for (let tries = 0; tries < 10; tries += 1) expect((await enter(email, 'wrong')).status).toBe(401);
  const locked = await enter(email);
  expect([locked.status, locked.body.message]).toEqual([401, refused.body.message]);
  expect((await user.get(`${BASE}/parameters`)).status).toBe(200);

  const reset = (to: string) =>
    send(`${apiUrl}/auth/1.0.0/users/password-reset`, { method: 'POST', body: { email: to } });
  expect((await reset(email)).status).toBe(202);
  expect((await reset(address())).status).toBe(202);
  const [token] = await linksTo(email, 2);
  expect((await setPassword(token!, `${PASSWORD}-new`)).status).toBe(200);
  expect((await user.get(`${BASE}/parameters`)).status).toBe(401);
  expect((await enter(email)).status).toBe(401);
  await signedIn(email, `${PASSWORD}-new`);
  expect(await codeOf(setPassword(token!))).toEqual([409, 'link_unusable']);
});

test('people of every role sign in, and out', async () => {
  for (const tenant of [credentials, credentials.other])
    for (const [who, scope] of [
      ['merchant', 'merchant'],
      ['tenantAdmin', 'tenant_admin'],
      ['ops', 'ops'],
    ] as const) {
      const user = tenant.users[who];
      // One operator is there for both tenants.
      if (who === 'ops' && tenant === credentials.other) {
        expect(user).toBeUndefined();
        continue;
      }
      const { body } = await enterSeeded(apiUrl, { ...user, email: user.email.toUpperCase() });
      expect(body).toMatchObject({ scope, token_type: 'Bearer' });
      expect(body.tenantId).toBe(who === 'ops' ? undefined : tenant.tenantId);
    }
  const { caller: admin } = await Staff.create(actors.tenantAdmin, 'tenant_admin');
  const out = () => send(`${apiUrl}/auth/1.0.0/users/token`, { method: 'DELETE', headers: admin.headers });
  expect((await admin.get(`${BASE}/merchants`)).status).toBe(200);
  expect((await out()).status).toBe(204);
  expect((await out()).status).toBe(401);
  const client = await send(`${apiUrl}/auth/1.0.0/users/token`, { method: 'DELETE', headers: actors.ops.headers });
  expect(client.status).toBe(403);
});

test('who has an authenticator signs in with its code too, and a reset keeps it so', async () => {
  const { email, user } = await onBoard();
  const totp = '/auth/1.0.0/users/totp';
  const withCode = (code?: string, password = PASSWORD) =>
    send(`${apiUrl}/auth/1.0.0/users/token`, { method: 'POST', body: { email, password, code } });
  const { secret, uri } = (await user.post(totp)).body;
  expect(uri).toContain(encodeURIComponent(email));
  expect((await withCode()).status).toBe(200);
  const { body } = await user.post(`${totp}/confirm`, { code: await generate({ secret }) });
  expect(body.recoveryCodes).toHaveLength(10);
  expect(await codeOf(withCode())).toEqual([422, 'two_factor_required']);
  expect(await codeOf(withCode('nothing'))).toEqual([422, 'code_refused']);
  expect((await withCode(body.recoveryCodes[0])).status).toBe(200);
  expect(await codeOf(withCode(body.recoveryCodes[0]))).toEqual([422, 'code_refused']);
  // Signed in before there was an authenticator, and has shown it since.
  expect((await user.post(totp)).status).toBe(201);

  await send(`${apiUrl}/auth/1.0.0/users/password-reset`, { method: 'POST', body: { email } });
  const [token] = await linksTo(email, 2);
  await setPassword(token!, `${PASSWORD}-new`);
  expect(await codeOf(withCode(undefined, `${PASSWORD}-new`))).toEqual([422, 'two_factor_required']);
  const again = (await withCode(body.recoveryCodes[1], `${PASSWORD}-new`)).body;
  const headers = { authorization: `Bearer ${again.access_token}` };
  const remove = (more = {}) => send(apiUrl + totp, { method: 'DELETE', headers: { ...headers, ...more } });
  expect((await remove({ 'x-two-factor-code': 'nothing' })).status).toBe(422);
  expect((await remove({ 'x-two-factor-code': body.recoveryCodes[2] })).status).toBe(204);
  expect((await withCode(undefined, `${PASSWORD}-new`)).status).toBe(200);
});

test('a client secret is rotated: both are good, then the new one alone', async () => {
  const { user } = await onBoard();
  const before = (await user.get(`${BASE}/parameters`)).body;
  const enters = (secret: string) =>
    signIn(apiUrl, before.clientId, secret).then(
      () => true,
      () => false,
    );
  const one = (await rotate(user, 'clientSecret')).body;
  const two = (await rotate(user, 'clientSecret', { overlapSeconds: 60 })).body;
  expect(Date.parse(one.previousUntil)).toBeGreaterThan(Date.now() + 3_600_000);
  const values = [before.clientSecret.value, one.value, two.value];
  expect(await Promise.all(values.map(enters))).toEqual([true, true, true]);
  expect((await user.get(`${BASE}/parameters`)).body.clientSecret).toMatchObject({
    lastFour: two.value.slice(-4),
    previousUntil: one.previousUntil,
  });
  expect((await endOverlap(user, 'clientSecret')).status).toBe(204);
  expect(await Promise.all(values.map(enters))).toEqual([false, false, true]);
  expect((await endOverlap(user, 'clientSecret')).status).toBe(404);
  expect(await codeOf(rotate(user, 'clientSecret', { overlapSeconds: 10_000_000 }))).toEqual([400, 'invalid_request']);
});

test('a terminal password is good until its overlap has passed, or not at all', async () => {
  const { user, merchant } = await onBoard();
  const before = (await user.get(`${BASE}/parameters`)).body.terminalPassword.value;
  const enters = (secret: string) =>
    signIn(apiUrl, merchant.terminalId, secret).then(
      () => true,
      () => false,
    );
  const { value } = (await rotate(user, 'terminalPassword', { overlapSeconds: 2 })).body;
  expect(await enters(before)).toBe(true);
  await until('the old one has ended', async () => !(await enters(before)));
  expect(await enters(value)).toBe(true);
  const { value: newest } = (await rotate(user, 'terminalPassword', { overlapSeconds: 0 })).body;
  expect([await enters(value), await enters(newest)]).toEqual([false, true]);
});

test('notifications carry a signature of each callback secret while both are good', async () => {
  const { user, merchant } = await onBoard();
  const parameters = (await user.get(`${BASE}/parameters`)).body;
  const shop = new Merchant(apiUrl, {
    authorization: `Bearer ${await signIn(apiUrl, parameters.clientId, parameters.clientSecret.value)}`,
    organizationid: merchant.organizationId,
  });
  const told = async () => {
    const path = `/${randomUUID()}`;
    await shop.paid(CARDS.visa, { notificationUrl: receiver.url(path) });
    return until('told', async () => receiver.received.find((request) => request.path === path));
  };
  const old = parameters.callbackSecret.value;
  const { value } = (await rotate(user, 'callbackSecret')).body;
  const both = await told();
  expect([isGenuine(both, old), isGenuine(both, value), isGenuine(both, 'another')]).toEqual([true, true, false]);
  await endOverlap(user, 'callbackSecret');
  const one = await told();
  expect([isGenuine(one, old), isGenuine(one, value)]).toEqual([false, true]);
});

test('a rotation under one idempotency key is one; programs neither see secrets nor rotate them', async () => {
  const { user } = await onBoard();
  const { body: parameters } = await user.get(`${BASE}/parameters`);
  const path = `${BASE}/parameters/callbackSecret/rotate`;
  const headers = { 'idempotency-key': randomUUID() };
  const [one, two] = [await user.post(path, undefined, headers), await user.post(path, undefined, headers)];
  expect(two.body).toEqual(one.body);

  const client = new Caller(apiUrl, {
    authorization: `Bearer ${await signIn(apiUrl, parameters.clientId, parameters.clientSecret.value)}`,
  });
  expect((await client.get(`${BASE}/parameters`)).body.callbackSecret.value).toBeUndefined();
  expect((await rotate(client, 'clientSecret')).status).toBe(403);
  expect((await rotate(user, 'clientId')).status).toBe(400);
});

test('another tenant sees nothing of a merchant', async () => {
  const { organizationId } = await invite();
  for (const reply of [
    await stranger.tenantAdmin.get(`${BASE}/merchants/${organizationId}`),
    await stranger.tenantAdmin.post(`${BASE}/merchants/${organizationId}/invitations`),
  ])
    expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
  const { body } = await stranger.tenantAdmin.get(`${BASE}/merchants?limit=200`);
  expect(JSON.stringify(body)).not.toContain(organizationId);
  expect((await actors.merchant.get(`${BASE}/merchants`)).status).toBe(403);
});

describe('going live', () => {
  const ACTIVATIONS = `${BASE}/activations`;
  const checklist = { termsAccepted: true, website: 'https://tea.example' };
  const documents = [{ purpose: 'KYB', name: 'Register', documentType: 'Certificate of incorporation' }];
  const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(300_000)]);
  const upload = async (
    who: Caller,
    activationId: string,
    { content = PDF, type = 'application/pdf', number = 1 } = {},
  ) => {
    const response = await fetch(`${apiUrl}${ACTIVATIONS}/${activationId}/documents/${number}/file`, {
      method: 'PUT',
      headers: { ...who.headers, 'content-type': type },
      body: new Uint8Array(content),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const missing = ({ checks }: Json) => checks.filter(({ done }: Json) => !done).map(({ item }: Json) => item);
  const decided = (activationId: string, ...states: string[]) =>
    until(states.join(), async () => {
      const { body } = await actors.ops.get(`${ACTIVATIONS}/${activationId}`);
      return states.includes(body.status) && body;
    });
  const letters = async (email: string, subject: string) =>
    until(`${subject} to ${email}`, async () => {
      const { body } = await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(email)}`);
      return body.data.find((letter: Json) => letter.subject.includes(subject));
    });

  test('a merchant that has done all of it is approved, and live', async () => {
    const { merchant, email, user } = await onBoard();
    const { clientId, clientSecret, callbackSecret } = (await user.get(`${BASE}/parameters`)).body;
    const shop = new Merchant(apiUrl, {
      authorization: `Bearer ${await signIn(apiUrl, clientId, clientSecret.value)}`,
      organizationid: merchant.organizationId,
    });
    await shop.paid(CARDS.visa);
    const callbackUrl = receiver.url(`/${randomUUID()}`);
    const applied = await user.post(ACTIVATIONS, { checklist, documents, callbackUrl });
    expect(applied.status).toBe(201);
    const { activationId } = applied.body;
    const waiting = await decided(activationId, 'in_review');
    expect(waiting).toMatchObject({ number: 1, checklist, documents, submittedBy: merchant.userId });
    expect(missing(waiting)).toEqual(['documents_given']);
    expect((await upload(user, activationId)).status).toBe(200);
    expect(missing((await user.get(`${ACTIVATIONS}/${activationId}`)).body)).toEqual([]);
    const ping = receiver.received.find(({ path }) => callbackUrl.endsWith(path));
    expect([JSON.parse(ping!.body).type, isGenuine(ping!, callbackSecret.value)]).toEqual(['test.ping', true]);
    expect(await codeOf(user.post(ACTIVATIONS, { checklist }))).toEqual([409, 'invalid_state']);
    expect((await user.post(`${ACTIVATIONS}/${activationId}/approve`)).status).toBe(403);

    expect((await actors.ops.post(`${ACTIVATIONS}/${activationId}/approve`)).status).toBe(200);
    const { body: now } = await actors.tenantAdmin.get(`${BASE}/merchants/${merchant.organizationId}`);
    expect(now.mode).toBe('live');
    await letters(email, 'is live');
    expect(await codeOf(actors.ops.post(`${ACTIVATIONS}/${activationId}/reject`, { reason: 'no' }))).toEqual([
      409,
      'invalid_state',
    ]);
    expect(await codeOf(user.post(ACTIVATIONS, { checklist }))).toEqual([409, 'invalid_state']);
  });

  test('what is missing needs a reason; who was rejected applies again', async () => {
    const { merchant, email, user } = await onBoard();
    const first = (await user.post(ACTIVATIONS, { checklist: {}, callbackUrl: 'http://127.0.0.1:1/nobody' })).body;
    const path = `${ACTIVATIONS}/${first.activationId}`;
    expect(missing(await decided(first.activationId, 'in_review'))).toEqual([
      'callback_answered',
      'sandbox_payment_captured',
      'documents_given',
    ]);
    expect(await codeOf(actors.ops.post(`${path}/approve`))).toEqual([409, 'invalid_state']);
    expect((await actors.ops.post(`${path}/reject`)).status).toBe(400);
    expect((await actors.ops.post(`${path}/reject`, { reason: 'no documents' })).body).toMatchObject({
      status: 'rejected',
      decidedBy: credentials.clients.ops.clientId,
      reason: 'no documents',
    });
    expect((await letters(email, 'cannot go live')).text).toContain('no documents');

    const { organizationId } = merchant;
    const second = (await actors.tenantAdmin.post(ACTIVATIONS, { organizationId, checklist, documents })).body;
    expect(second.number).toBe(2);
    await decided(second.activationId, 'in_review');
    expect((await user.post(`${ACTIVATIONS}/${second.activationId}/withdraw`)).body.status).toBe('withdrawn');
    const third = (await user.post(ACTIVATIONS, { checklist, documents })).body;
    await decided(third.activationId, 'in_review');
    const approved = await actors.ops.post(`${ACTIVATIONS}/${third.activationId}/approve`, { reason: 'known to us' });
    expect(approved.body).toMatchObject({ status: 'approved', reason: 'known to us' });
    const { body } = await user.get(ACTIVATIONS);
    expect(body.data.map(({ status }: Json) => status)).toEqual(['approved', 'withdrawn', 'rejected']);
  });

  test('its documents are read by operators and the tenant’s admins alone', async () => {
    const { merchant, user } = await onBoard();
    const { activationId } = (await user.post(ACTIVATIONS, { checklist, documents })).body;
    const path = `${ACTIVATIONS}/${activationId}/documents/1/file`;
    expect((await actors.ops.get(path)).status).toBe(404);
    expect((await upload(user, activationId, { content: PDF.subarray(9) })).status).toBe(400);
    expect((await upload(user, activationId, { type: 'text/html' })).status).toBe(415);
    expect((await upload(user, activationId, { number: 2 })).status).toBe(404);
    const { body } = await upload(user, activationId);
    expect(body.documents[0]).toMatchObject({
      documentNumber: 1,
      name: 'Register',
      file: { contentType: 'application/pdf', sizeBytes: PDF.length, uploadedBy: merchant.userId },
    });

    for (const reader of [actors.ops, actors.tenantAdmin]) {
      const file = await fetch(apiUrl + path, { headers: reader.headers });
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/pdf']);
      expect(file.headers.get('content-disposition')).toMatch(/^attachment/);
      expect(PDF.equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
    }
    const other = await onBoard();
    expect((await user.get(path)).status).toBe(403);
    for (const who of [stranger.tenantAdmin, other.user]) {
      expect((await upload(who, activationId)).status).toBe(404);
      expect((await who.get(path)).status).toBeGreaterThanOrEqual(403);
    }
    await actors.ops.post(`${ACTIVATIONS}/${activationId}/reject`, { reason: 'not you' });
    expect(await codeOf(upload(user, activationId))).toEqual([409, 'invalid_state']);
    expect((await fetch(apiUrl + path, { headers: actors.ops.headers })).status).toBe(200);
  });

  test('another tenant, and another merchant, see nothing of it', async () => {
    const { user } = await onBoard();
    const { activationId } = (await user.post(ACTIVATIONS, { checklist })).body;
    await decided(activationId, 'in_review');
    for (const who of [stranger.tenantAdmin, stranger.merchant, actors.merchant])
      for (const reply of [
        await who.get(`${ACTIVATIONS}/${activationId}`),
        await who.post(`${ACTIVATIONS}/${activationId}/withdraw`),
      ])
        expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
    expect(JSON.stringify((await stranger.tenantAdmin.get(ACTIVATIONS)).body)).not.toContain(activationId);
    expect(JSON.stringify((await actors.tenantAdmin.get(ACTIVATIONS)).body)).toContain(activationId);
  });
});
