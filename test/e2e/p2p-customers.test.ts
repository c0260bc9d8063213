import { randomUUID } from 'node:crypto';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, Caller, type Json, outOfBalance, type Reply, send, until } from './client';
import { mailbox, newHandle, P2P, Transfers } from './p2p';
import { newCustomer, Topups } from './topups';

/** Customers who act for themselves, and what it costs them. */

const { credentials, apiUrl } = sharedStack();
const { tenantId } = credentials;
const PASSWORD = 'correct horse battery staple';
let actors: Actors;
let admin: Transfers;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  admin = new Transfers(actors.tenantAdmin, actors);
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

interface Person {
  customerId: string;
  email: string;
  own: Transfers;
}

/** A customer who has signed in. */
async function person(): Promise<Person> {
  const email = `p-${randomUUID()}@example.com`;
  const customerId = await newCustomer(actors, {
    person: { firstName: { name: 'A' }, lastName: { name: 'Person' }, email, password: PASSWORD },
  });
  const signIn = { tenantId, email, password: PASSWORD };
  const { body } = await send(`${apiUrl}/auth/1.0.0/customers/token`, { method: 'POST', body: signIn });
  const own = new Caller(apiUrl, { authorization: `Bearer ${body.access_token}`, tenantid: tenantId });
  return { customerId, email, own: new Transfers(own, actors) };
}

const letter = (to: string, count: number): Promise<Json> =>
  until(`message ${count} to ${to}`, async () => {
    const letters = await mailbox(apiUrl, to);
    return letters.length >= count && letters[0];
  });
const codeIn = ({ text }: Json): string => /\b\d{6}\b/.exec(text)![0];

async function verify({ customerId, email, own }: Person): Promise<void> {
  const path = `/customer/1.0.0/${customerId}/verifications`;
  const { body } = await own.caller.post(path, { type: 'email', value: email });
  const { status } = await own.caller.post(`${path}/confirm`, {
    sessionId: body.sessionId,
    code: codeIn(await letter(email, 1)),
  });
  if (status !== 200) throw new Error(`not verified: ${status}`);
}

const topUp = (customerId: string, amount: string, currency = 'EUR') =>
  new Topups(actors.tenantAdmin).made(customerId, { amount, currency });
const put = (path: string, body: object) =>
  send(apiUrl + path, { method: 'PUT', headers: actors.tenantAdmin.headers, body });

describe('a customer with its own token', () => {
  test('joins with an address once it is proven, and takes what waited for it', async () => {
    const sender = await admin.member('5.00');
    const eve = await person();
    const { body } = await admin.send(sender.customerId, eve.email, { amount: '2.00' });
    expect(body.status).toBe('held');
    expect(await eve.own.enroll(eve.customerId, eve.email)).toMatchObject({
      status: 422,
      body: { code: 'alias_not_verified' },
    });
    await letter(eve.email, 1);
    const verification = `/customer/1.0.0/${eve.customerId}/verifications`;
    const session = (await eve.own.caller.post(verification, { type: 'email', value: eve.email })).body;
    const code = codeIn(await letter(eve.email, 2));
    await eve.own.caller.post(`${verification}/confirm`, { sessionId: session.sessionId, code });
    expect((await eve.own.enroll(eve.customerId, eve.email)).status).toBe(201);
    expect(await eve.own.read(body.transferId)).toMatchObject({ status: 'settled', recipientId: eve.customerId });
  });

  test('acts for nobody else, and sees nobody else’s', async () => {
    const [eve, mallory] = [await person(), await person()];
    const other = await admin.member('5.00', { acceptEach: true });
    for (const one of [eve, mallory]) expect((await one.own.enroll(one.customerId, newHandle())).status).toBe(201);
    await topUp(eve.customerId, '9.00');
    expect((await mallory.own.enroll(eve.customerId, newHandle())).status).toBe(404);
    expect((await mallory.own.send(eve.customerId, other.handle)).status).toBe(404);
    const { status, body } = await eve.own.send(eve.customerId, other.handle);
    expect([status, body.status]).toEqual([202, 'held']);
    for (const what of ['accept', 'decline', 'cancel', 'reverse'] as const)
      expect((await mallory.own.act(body.transferId, what)).status).toBe(404);
    for (const what of ['accept', 'decline', 'reverse'] as const)
      expect((await eve.own.act(body.transferId, what)).status).toBe(403);
    expect((await mallory.own.caller.get(`${P2P}/transfers/${body.transferId}`)).status).toBe(404);
    expect((await mallory.own.caller.get(`${P2P}/transfers?customerId=${eve.customerId}`)).status).toBe(404);
    const listed = async (one: Person) => (await one.own.caller.get(`${P2P}/transfers`)).body.data;
    expect([await listed(mallory), (await listed(eve)).length]).toEqual([[], 1]);
    expect(await eve.own.act(body.transferId, 'cancel')).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  });

  test('cannot resume what the tenant has suspended', async () => {
    const eve = await person();
    await eve.own.enroll(eve.customerId, newHandle());
    const path = `${P2P}/customers/${eve.customerId}`;
    expect((await eve.own.caller.post(`${path}/suspend`)).body.suspendedBy).toBe('customer');
    expect((await eve.own.caller.post(`${path}/resume`)).status).toBe(200);
    await actors.tenantAdmin.post(`${path}/suspend`);
    expect((await eve.own.caller.post(`${path}/resume`)).status).toBe(403);
  });

  test('reverses what it received; each act and who did it is in the audit log', async () => {
    const [eve, sender] = [await person(), await admin.member('5.00')];
    await eve.own.enroll(eve.customerId, newHandle());
    const { body } = await admin.send(sender.customerId, eve.customerId);
    expect((await eve.own.act(body.transferId, 'reverse')).body.status).toBe('reversed');
    const lines = (await actors.tenantAdmin.get(`/customer/1.0.0/audit?customerId=${sender.customerId}`)).body.data;
    expect(lines.map(({ action }: Json) => action)).toContain('customer.transfer_sent');
    const own = (await actors.tenantAdmin.get(`/customer/1.0.0/audit?customerId=${eve.customerId}`)).body.data;
    expect(own).toContainEqual(
      expect.objectContaining({ action: 'customer.transfer_reversed', actor: eve.customerId }),
    );
  });

  test('gives its second factor for sending, where that is on; one code is one transfer', async () => {
    const [eve, other] = [await person(), await admin.member()];
    await verify(eve);
    await eve.own.enroll(eve.customerId, newHandle());
    await topUp(eve.customerId, '9.00');
    await put(`/customer/1.0.0/twoFA/changeTwoFa/${eve.customerId}`, { funding: true, trading: true });
    const order = { senderId: eve.customerId, recipient: other.handle, amount: '1.00', currency: 'EUR' };
    const asked = await eve.own.caller.post(`${P2P}/transfers`, order);
    expect(asked).toMatchObject({ status: 422, body: { code: 'two_factor_required' } });
    const told = await letter(eve.email, 2);
    // What the customer reads is what is executed: amount and payee, and nothing else.
    expect(JSON.stringify(told)).toContain(`to send 1.00 EUR to ${other.handle}`);
    const answer = {
      'x-two-factor-session': asked.body.session.sessionId,
      'x-two-factor-code': codeIn(told),
    };
    for (const another of [{ amount: '2.00' }, { recipient: eve.customerId }, { note: 'changed' }]) {
      const refused = await eve.own.caller.post(`${P2P}/transfers`, { ...order, ...another }, answer);
      expect(refused).toMatchObject({ status: 422, body: { code: 'code_refused' } });
    }
    const replies = await Promise.all([1, 2, 3].map(() => eve.own.caller.post(`${P2P}/transfers`, order, answer)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    const wanted = { requesterId: eve.customerId, payer: other.handle, amount: '1.00', currency: 'EUR' };
    const startsAt = new Date(Date.now() + 86_400_000).toISOString();
    for (const refused of [
      await eve.own.caller.post(`${P2P}/requests`, wanted),
      await eve.own.caller.post(`${P2P}/schedules`, { ...order, frequency: 'weekly', startsAt }),
    ])
      expect(refused.body.code).toBe('two_factor_required');
    expect((await actors.tenantAdmin.post(`${P2P}/transfers`, order)).status).toBe(201);
  });

  test('that is blocked sends and takes nothing, and what it had sent is not paid out', async () => {
    const [ann, bob] = [await admin.member('9.00'), await admin.member('1.00', { acceptEach: true })];
    const { transferId } = (await admin.send(ann.customerId, bob.handle)).body;
    const block = { customerStatus: 'on_hold', reason: 'a test' };
    await actors.tenantAdmin.post(`/customer/1.0.0/status/${ann.customerId}`, block);
    expect((await admin.send(ann.customerId, bob.handle)).body.code).toBe('customer_blocked');
    expect((await admin.send(bob.customerId, ann.handle)).body.code).toBe('recipient_unavailable');
    expect((await admin.act(transferId, 'accept')).body.code).toBe('customer_blocked');
    expect((await admin.act(transferId, 'decline')).body.status).toBe('declined');
  });
});

describe('fees', () => {
  const charge = (currency: string, terms: object) =>
    put('/wallet/1.0.0/fees', { operation: 'p2p', currency, ...terms });
  const quote = async (currency: string, amount: string) =>
    (await actors.tenantAdmin.post('/wallet/1.0.0/quote', { operation: 'p2p', currency, amount })).body;

  test('that somebody only proposes are quoted by the same calculation, and charge nothing', async () => {
    const asked = (proposed: object, more = {}) =>
      actors.tenantAdmin.post('/wallet/1.0.0/quote', {
        operation: 'p2p',
        currency: 'NOK',
        amount: '10.00',
        ...more,
        proposed,
      });
    expect((await charge('NOK', { fixed: '1.00', payer: 'sender' })).status).toBe(200);
    const { status, body } = await asked({ fixed: '0.05', basisPoints: 125, minimum: '0.30', payer: 'recipient' });
    expect([status, body]).toEqual([
      200,
      {
        operation: 'p2p',
        currency: 'NOK',
        amount: '10.00',
        fee: '0.30',
        payer: 'recipient',
        total: '10.00',
        net: '9.70',
      },
    ]);
    expect((await asked({ basisPoints: 125, maximum: '0.10' })).body).toMatchObject({ fee: '0.10', total: '10.10' });
    expect((await asked({})).body).toMatchObject({ fee: '0.00', total: '10.00', net: '10.00' });
    expect((await asked({ fixed: '10.00', payer: 'recipient' })).body.code).toBe('fee_exceeds_amount');
    expect((await asked({ minimum: '2.00', maximum: '1.00' })).body.details[0].field).toBe('proposed.maximum');
    expect((await asked({ fixed: '0.005' })).status).toBe(400);
    expect(await quote('NOK', '10.00')).toMatchObject({ fee: '1.00' });
  });

  test.each([
    ['ISK', '1000', { fixed: '1', basisPoints: 125, payer: 'sender' }, '101', '2', ['897', '101']],
    ['SEK', '10.00', { basisPoints: 125, payer: 'recipient' }, '1.20', '0.02', ['8.80', '1.18']],
    ['BHD', '10.000', { fixed: '0.005', basisPoints: 50, payer: 'sender' }, '1.234', '0.011', ['8.755', '1.234']],
  ])('in %s are taken, and given back by a reversal, to the last minor unit', async (...row) => {
    const [currency, balance, terms, amount, fee, [left, arrived]] = row;
    expect((await charge(currency, terms)).status).toBe(200);
    const [ann, bob] = [await admin.member(balance, { currency }), await admin.member()];
    expect(await quote(currency, amount)).toMatchObject({ fee });
    const { status, body } = await admin.send(ann.customerId, bob.handle, { amount, currency });
    expect([status, body.fee]).toEqual([201, fee]);
    const zero = balance.replace(/^\d+/, '0').replace(/\d(?=\d*$)/g, '0');
    expect([await admin.balance(ann, currency), await admin.balance(bob, currency)]).toEqual([
      [left, zero],
      [arrived, zero],
    ]);
    expect((await admin.act(body.transferId, 'reverse')).body.status).toBe('reversed');
    expect([await admin.balance(ann, currency), await admin.balance(bob, currency)]).toEqual([
      [balance, zero],
      [zero, zero],
    ]);
  });

  test('are held with what waits and go back with it', async () => {
    await charge('NOK', { fixed: '0.50', payer: 'sender' });
    const ann = await admin.member('10.00', { currency: 'NOK' });
    const bob = await admin.member(undefined, { acceptEach: true });
    const order = { amount: '2.00', currency: 'NOK' };
    const first = (await admin.send(ann.customerId, bob.handle, order)).body;
    expect(await admin.balance(ann, 'NOK')).toEqual(['7.50', '2.50']);
    await admin.act(first.transferId, 'decline');
    expect(await admin.balance(ann, 'NOK')).toEqual(['10.00', '0.00']);
    const second = (await admin.send(ann.customerId, bob.handle, order)).body;
    await charge('NOK', { fixed: '9.00', payer: 'sender' });
    await admin.act(second.transferId, 'accept');
    expect([await admin.balance(ann, 'NOK'), await admin.balance(bob, 'NOK')]).toEqual([
      ['7.50', '0.00'],
      ['2.00', '0.00'],
    ]);
    expect((await admin.send(ann.customerId, bob.handle, order)).body.code).toBe('insufficient_funds');
  });
});

test('limits hold for requests at once, and what goes back is given back', async () => {
  const [ann, bob] = [await admin.member('20.00'), await admin.member()];
  const patient = await admin.member(undefined, { acceptEach: true });
  const limits = {
    customerId: ann.customerId,
    operation: 'p2p',
    currency: 'EUR',
    perTransaction: '5.00',
    dailyCount: 3,
  };
  expect((await put('/wallet/1.0.0/limits', limits)).status).toBe(200);
  expect(await admin.send(ann.customerId, bob.handle, { amount: '5.01' })).toMatchObject({
    status: 422,
    body: { code: 'limit_exceeded', details: [{ field: 'perTransaction' }] },
  });
  const replies: Reply[] = await Promise.all(
    Array.from({ length: 12 }, () => admin.send(ann.customerId, patient.handle)),
  );
  const held = replies.filter(({ status }) => status === 202);
  expect(held).toHaveLength(3);
  expect((await admin.send(ann.customerId, bob.handle)).body.details[0].field).toBe('dailyCount');
  await admin.act(held[0]!.body.transferId, 'decline');
  expect((await admin.send(ann.customerId, bob.handle)).status).toBe(201);
  expect((await admin.send(ann.customerId, bob.handle)).status).toBe(422);
});
