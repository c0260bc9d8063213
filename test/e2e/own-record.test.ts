import { randomUUID } from 'node:crypto';
import { generate } from 'otplib';
import { sharedStack } from '../setup/stack';
import { actorsOf, CARDS, Caller, type Json, type Reply, send, until } from './client';

/** What customers may do with their own records, and that they have nobody else's. */

const { credentials, apiUrl } = sharedStack();
const BASE = '/customer/1.0.0';
const { tenantId } = credentials;

let tenantAdmin: Caller;

beforeAll(async () => {
  tenantAdmin = (await actorsOf(credentials)).tenantAdmin;
});

/** A customer who has signed in. */
async function customer(): Promise<{ customerId: string; email: string; password: string; self: Caller }> {
  const email = `own-${randomUUID()}@example.com`;
  const password = `pw-${randomUUID()}`;
  const { body } = await tenantAdmin.post(`${BASE}/create`, {
    id: randomUUID(),
    customerType: 'Person',
    customerName: 'Own Record',
    person: { firstName: { name: 'Own' }, lastName: { name: 'Record' }, email, password },
  });
  return { customerId: body.customerId, email, password, self: await signedIn(email, password) };
}

/** One more session of a customer. */
async function signedIn(email: string, password: string): Promise<Caller> {
  const order = { method: 'POST', body: { tenantId, email, password } };
  const { body } = await send(`${apiUrl}/auth/1.0.0/customers/token`, order);
  return new Caller(apiUrl, { authorization: `Bearer ${body.access_token}`, tenantid: tenantId });
}

const update = (who: Caller, customerId: string, body: unknown, headers = {}): Promise<Reply> =>
  send(`${apiUrl}${BASE}/update/${customerId}`, { method: 'PUT', headers: { ...who.headers, ...headers }, body });

test('a customer reads and changes its own record, and no read of its own is a staff read', async () => {
  const { customerId, self } = await customer();
  const changed = await update(self, customerId, { customerName: 'Renamed', person: { nationality: 'French' } });
  expect([changed.status, changed.body.customerName, changed.body.person.nationality]).toEqual([
    200,
    'Renamed',
    'French',
  ]);
  expect((await self.get(`${BASE}/fetch/${customerId}`)).body).toEqual(changed.body);
  const saved = await self.post(`${BASE}/${customerId}/paymentMethods`, {
    card: { number: CARDS.visa, holder: 'Own Record', expiryMonth: '12', expiryYear: '2030' },
  });
  expect(saved.status).toBe(201);
  expect((await self.get(`${BASE}/${customerId}/paymentMethods`)).body.data).toEqual([saved.body]);
  expect((await self.get(`${BASE}/${customerId}/transactions`)).body.data).toEqual([]);
  const held = await self.get(`${BASE}/${customerId}/export`);
  expect([held.status, held.body.customer.customerId]).toEqual([200, customerId]);
  const actions = held.body.audit.map(({ action }: Json) => action);
  expect(actions.filter((action: string) => /\.(read|export)$/.test(action))).toEqual([]);
});

test('nobody else’s record is there, and the tenant’s calls are not a customer’s', async () => {
  const [{ self }, other] = [await customer(), await customer()];
  const { customerId } = other;
  const card = { number: CARDS.visa, holder: 'Not Mine', expiryMonth: '12', expiryYear: '2030' };
  const tries = [
    self.get(`${BASE}/fetch/${customerId}`),
    self.get(`${BASE}/${customerId}/transactions`),
    self.get(`${BASE}/${customerId}/paymentMethods`),
    self.get(`${BASE}/${customerId}/export`),
    self.post(`${BASE}/${customerId}/paymentMethods`, { card }),
    update(self, customerId, { customerName: 'Mine' }),
  ];
  expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(tries.map(() => 404));
  const forbidden = [
    self.get(`${BASE}/listByTenant/${tenantId}`),
    self.post(`${BASE}/create`, {}),
    send(`${apiUrl}${BASE}/delete/${customerId}`, { method: 'DELETE', headers: self.headers }),
  ];
  expect((await Promise.all(forbidden)).map(({ status }) => status)).toEqual(forbidden.map(() => 403));
});

test('what the tenant files it under, its status and its secrets are not for the customer to change', async () => {
  const { customerId, self } = await customer();
  const refused = await update(self, customerId, {
    id: 'mine',
    categorization: 'category1',
    organizationId: null,
    person: { password: 'guessed token', pinCode: '1', SecretQuestion: [] },
  });
  expect([refused.status, refused.body.details.map(({ field }: Json) => field)]).toEqual([
    400,
    ['id', 'organizationId', 'categorization', 'person.password', 'person.pinCode', 'person.SecretQuestion'],
  ]);
  expect((await update(self, customerId, { customerStatus: 'verified' })).status).toBe(400);
});

test('where codes go changes with the second factor only, once it is on', async () => {
  const { customerId, email, self } = await customer();
  const before = await self.post(`${BASE}/${customerId}/verifications`, { type: 'email', value: email });
  const codeAt = async (count: number) => {
    const letters = await until(`message ${count}`, async () => {
      const { body } = await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(email)}`);
      return body.data.length >= count && body.data;
    });
    return /\b\d{6}\b/.exec(letters[0].text)![0];
  };
  const { sessionId } = before.body;
  await self.post(`${BASE}/${customerId}/verifications/confirm`, { sessionId, code: await codeAt(1) });
  await send(`${apiUrl}${BASE}/twoFA/changeTwoFa/${customerId}`, {
    method: 'PUT',
    headers: self.headers,
    body: { funding: true },
  });

  const patch = { person: { telephoneNumbers: [{ number: '+447911123456' }] } };
  expect((await update(self, customerId, { customerName: 'Still mine' })).status).toBe(200);
  const asked = await update(self, customerId, patch);
  expect([asked.status, asked.body.code]).toEqual([422, 'two_factor_required']);
  const answer = {
    'x-two-factor-session': asked.body.session.sessionId,
    'x-two-factor-code': await codeAt(2),
  };
  const done = await update(self, customerId, patch, answer);
  expect([done.status, done.body.person?.telephoneNumbers]).toEqual([200, patch.person.telephoneNumbers]);
  expect((await update(tenantAdmin, customerId, { person: { telephoneNumbers: [] } })).status).toBe(200);
});

describe('what was verified about a customer', () => {
  const name = { name: 'Record' };

  /** A customer whom the tenant has verified. */
  async function verified() {
    const who = await customer();
    for (const customerStatus of ['under_verificaiton', 'verified']) {
      const body = { customerStatus, reason: 'seen in person', override: true };
      expect((await tenantAdmin.post(`${BASE}/status/${who.customerId}`, body)).status).toBe(200);
    }
    return who;
  }

  const waiting = async (customerId: string): Promise<Json | undefined> => {
    const { body } = await tenantAdmin.get('/approvals/1.0.0/approvals?kind=customer&limit=200');
    return body.data.find((one: Json) => one.customerId === customerId);
  };

  const approve = async (approvalId: string): Promise<Json> => {
    const body = { decision: 'approve', approvalIds: [approvalId] };
    return (await tenantAdmin.post('/approvals/1.0.0/approvals/decisions', body)).body.data[0];
  };

  test.each([
    ['customerName', { customerName: 'Another Name' }],
    ['person.lastName', { person: { lastName: { name: 'Another' } } }],
    ['person.dateOfBirth', { person: { dateOfBirth: '1990-01-31' } }],
    ['person.nationality', { person: { nationality: 'PT' } }],
  ])('goes through review when it changes: %s', async (member, patch) => {
    const { customerId, self } = await verified();
    const changed = await update(self, customerId, patch);
    expect([changed.status, changed.body.customerStatus]).toEqual([200, 'under_investigation']);
    const { data } = (await tenantAdmin.get(`${BASE}/${customerId}/events`)).body;
    expect(data.at(-1)).toMatchObject({
      actor: customerId,
      reason: `Changed since it was verified: ${member}.`,
    });
    const { approvalId } = await waiting(customerId);
    expect(await approve(approvalId)).toEqual({ approvalId, status: 'verified' });
    expect((await self.get(`${BASE}/fetch/${customerId}`)).body.customerStatus).toBe('verified');
    expect(await waiting(customerId)).toBeUndefined();
  });

  test('stays verified when other things change, or the same is sent again', async () => {
    const { customerId, self } = await verified();
    const patch = { customerName: 'Own Record', person: { lastName: name, gender: 'Other', fullName: '' } };
    expect((await update(self, customerId, patch)).body.customerStatus).toBe('verified');
    expect(await waiting(customerId)).toBeUndefined();
  });

  test('is approved as it was looked at, never as it became since', async () => {
    const { customerId, self } = await verified();
    await update(self, customerId, { customerName: 'First Change' });
    const { approvalId } = await waiting(customerId);
    await update(self, customerId, { customerName: 'Second Change' });
    for (const stale of [approvalId, customerId])
      expect(await approve(stale)).toMatchObject({ error: { code: 'invalid_state' } });
    expect((await self.get(`${BASE}/fetch/${customerId}`)).body.customerStatus).toBe('under_investigation');
    expect(await approve((await waiting(customerId)).approvalId)).toMatchObject({ status: 'verified' });
  });

  test('is not looked at where nobody was verified', async () => {
    const { customerId, self } = await customer();
    expect((await update(self, customerId, { customerName: 'Not yet' })).body.customerStatus).toBe('new');
  });
});

test('another address is asked of the one before, told to it, and ends the other sessions', async () => {
  const { customerId, email, self, password } = await customer();
  const letters = async (to = email): Promise<Json[]> =>
    (await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(to)}`)).body.data;
  const codeBeside = async (known: Json[]) => {
    const [letter] = await until('a code', async () => {
      const all = await letters();
      return all.length > known.length && all;
    });
    return /\b\d{6}\b/.exec(letter.text)![0];
  };
  const asked = await self.post(`${BASE}/${customerId}/verifications`, { type: 'email', value: email });
  const code = await codeBeside([]);
  await self.post(`${BASE}/${customerId}/verifications/confirm`, { sessionId: asked.body.sessionId, code });
  const other = await signedIn(email, password);

  // No flag is on: the address that was verified is asked all the same.
  const patch = { person: { email: `new-${email}`, firstName: { name: 'Own' } } };
  const known = await letters();
  const refused = await update(self, customerId, patch);
  expect([refused.status, refused.body.code]).toEqual([422, 'two_factor_required']);
  const headers = {
    'x-two-factor-session': refused.body.session.sessionId,
    'x-two-factor-code': await codeBeside(known),
  };
  expect((await update(self, customerId, patch, headers)).status).toBe(200);
  const told = await until('the address of before is told', async () =>
    (await letters()).find(({ subject }) => subject === 'Your e-mail address or telephone number was changed'),
  );
  expect(told.text).toContain('If it was not you');
  expect(await letters(`new-${email}`)).toEqual([]);
  expect((await self.get(`${BASE}/fetch/${customerId}`)).status).toBe(200);
  expect((await other.get(`${BASE}/fetch/${customerId}`)).status).toBe(401);

  // The same address again changes nothing, so nothing is asked.
  expect((await update(self, customerId, { person: { email: `new-${email}` } })).status).toBe(200);
  // The tenant sets another password: the customer hears of it, at the address of the record.
  await update(tenantAdmin, customerId, { person: { password: `pw-${randomUUID()}` } });
  await until('the customer is told', async () =>
    (await letters(`new-${email}`)).some(({ subject }) => subject === 'Your password was changed'),
  );
  expect((await self.get(`${BASE}/fetch/${customerId}`)).status).toBe(401);
});

test('an authenticator that comes or goes is told, and ends the other sessions', async () => {
  const { customerId, email, self, password } = await customer();
  const told = async (times: number) => {
    const { body } = await send(`${apiUrl}/sandbox/mailbox?to=${encodeURIComponent(email)}`);
    return body.data.filter(({ subject }: Json) => subject === 'Your authenticator app was changed').length === times;
  };
  const other = await signedIn(email, password);
  const factor = `${BASE}/${customerId}/totp`;
  const { secret } = (await self.post(factor)).body;
  expect((await self.post(`${factor}/confirm`, { code: await generate({ secret }) })).status).toBe(200);
  await until('it is told', () => told(1));
  expect((await self.get(`${BASE}/fetch/${customerId}`)).status).toBe(200);
  expect((await other.get(`${BASE}/fetch/${customerId}`)).status).toBe(401);
  expect((await send(apiUrl + factor, { method: 'DELETE', headers: tenantAdmin.headers })).status).toBe(204);
  await until('it is told again', () => told(2));
  expect((await self.get(`${BASE}/fetch/${customerId}`)).status).toBe(401);
});
