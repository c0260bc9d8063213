import { randomUUID } from 'node:crypto';
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
async function customer(): Promise<{ customerId: string; email: string; self: Caller }> {
  const email = `own-${randomUUID()}@example.com`;
  const password = `pw-${randomUUID()}`;
  const { body } = await tenantAdmin.post(`${BASE}/create`, {
    id: randomUUID(),
    customerType: 'Person',
    customerName: 'Own Record',
    person: { firstName: { name: 'Own' }, lastName: { name: 'Record' }, email, password },
  });
  const signedIn = await send(`${apiUrl}/auth/1.0.0/customers/token`, {
    method: 'POST',
    body: { tenantId, email, password },
  });
  const authorization = `Bearer ${signedIn.body.access_token}`;
  return { customerId: body.customerId, email, self: new Caller(apiUrl, { authorization, tenantid: tenantId }) };
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
