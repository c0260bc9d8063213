import { randomUUID } from 'node:crypto';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, type Json, outOfBalance, send, transfersOf, until } from './client';
import { type Member, mailbox, newEmail, newHandle, newPhone, P2P, Transfers } from './p2p';
import { newCustomer } from './topups';

const { credentials, apiUrl } = sharedStack();
let actors: Actors;
let transfers: Transfers;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  transfers = new Transfers(actors.tenantAdmin, actors);
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

const causesOf = async (transferId: string): Promise<string[][]> =>
  (await transfersOf(actors, transferId)).map(({ cause, phase, amount }) => [cause.split('/')[1], phase, amount]);

describe('joining', () => {
  test('with a handle, an e-mail address and a telephone number; each belongs to one', async () => {
    const [one, other] = [await newCustomer(actors), await newCustomer(actors)];
    const [handle, email, phone] = [newHandle(), newEmail(), newPhone()];
    const { status, body } = await transfers.enroll(one, `@${handle.toUpperCase()}`);
    expect([status, body]).toEqual([
      201,
      {
        customerId: one,
        status: 'active',
        acceptEach: false,
        aliases: [
          { aliasId: expect.stringMatching(/^als_/), type: 'handle', alias: handle, createdAt: expect.any(String) },
        ],
        enrolledAt: expect.any(String),
      },
    ]);
    expect((await transfers.enroll(one, handle)).status).toBe(200);
    expect((await transfers.enroll(one, email.toUpperCase())).body.aliases).toHaveLength(2);
    const added = await actors.tenantAdmin.post(`${P2P}/customers/${one}/aliases`, {
      alias: phone.replace('+44', '0044 '),
    });
    expect(added.body.aliases.map(({ alias }: Json) => alias)).toEqual([handle, email, phone]);
    for (const taken of [handle, email, phone])
      expect(await transfers.enroll(other, taken)).toMatchObject({ status: 409, body: { code: 'alias_taken' } });
    for (const wrong of ['', 'a', '1abc', 'cus_abc', '07911 123456', 'a@b', 'with space'])
      expect((await transfers.enroll(other, wrong)).status).toBe(400);
  });

  test('an alias can be changed and removed, and is free again then', async () => {
    const { customerId, handle } = await transfers.member();
    const member = `${P2P}/customers/${customerId}`;
    const { aliases } = (await actors.tenantAdmin.get(member)).body;
    const path = `${apiUrl}${member}/aliases/${aliases[0].aliasId}`;
    const next = newHandle();
    const put = await fetch(path, {
      method: 'PUT',
      headers: { ...actors.tenantAdmin.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ alias: next }),
    });
    expect([put.status, ((await put.json()) as Json).aliases[0].alias]).toEqual([200, next]);
    expect((await transfers.enroll(await newCustomer(actors), handle)).status).toBe(201);
    const removed = await fetch(path, { method: 'DELETE', headers: actors.tenantAdmin.headers });
    expect([removed.status, ((await removed.json()) as Json).aliases]).toEqual([200, []]);
    expect((await fetch(path, { method: 'DELETE', headers: actors.tenantAdmin.headers })).status).toBe(404);
  });

  test('an address that leaves the customer’s record is no alias any more', async () => {
    const email = newEmail();
    const person = { firstName: { name: 'A' }, lastName: { name: 'Owner' }, email };
    const customerId = await newCustomer(actors, { person });
    await transfers.enroll(customerId, email);
    const changed = await send(`${apiUrl}/customer/1.0.0/update/${customerId}`, {
      method: 'PUT',
      headers: actors.tenantAdmin.headers,
      body: { person: { email: newEmail() } },
    });
    expect(changed.status).toBe(200);
    expect((await actors.tenantAdmin.get(`${P2P}/customers/${customerId}`)).body.aliases).toEqual([]);
  });

  test('of a foreign customer, or one who is not there, is 404', async () => {
    const stranger = await actorsOf(credentials, credentials.other);
    const { customerId } = await transfers.member();
    const abroad = new Transfers(stranger.tenantAdmin, stranger);
    expect((await abroad.enroll(customerId, newHandle())).status).toBe(404);
    expect((await stranger.tenantAdmin.get(`${P2P}/customers/${customerId}`)).status).toBe(404);
    expect((await abroad.send(customerId, newPhone())).status).toBe(404);
  });
});

describe('a transfer', () => {
  let ann: Member;
  let bob: Member;
  beforeAll(async () => {
    ann = await transfers.member('100.00');
    bob = await transfers.member();
  });

  test('settles at once, by handle and by id', async () => {
    const before = await transfers.balance(ann);
    const { status, body } = await transfers.send(ann.customerId, `@${bob.handle}`, { amount: '12.34', note: 'lunch' });
    expect([status, body]).toEqual([
      201,
      {
        transferId: expect.stringMatching(/^trf_/),
        tenantId: credentials.tenantId,
        status: 'settled',
        statusDetail: 'Settled at once.',
        senderId: ann.customerId,
        recipientId: bob.customerId,
        recipient: `@${bob.handle}`,
        amount: '12.34',
        currency: 'EUR',
        fee: '0.00',
        feePayer: 'sender',
        netAmount: '12.34',
        note: 'lunch',
        settledAt: expect.any(String),
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    expect(await causesOf(body.transferId)).toEqual([['settle', 'posted', '12.34']]);
    expect(await transfers.send(ann.customerId, bob.customerId)).toMatchObject({
      status: 201,
      body: { status: 'settled', recipient: bob.customerId },
    });
    expect([before, await transfers.balance(ann), await transfers.balance(bob)]).toEqual([
      ['100.00', '0.00'],
      ['86.66', '0.00'],
      ['13.34', '0.00'],
    ]);
    const events = (await actors.tenantAdmin.get(`${P2P}/transfers/${body.transferId}/events`)).body.data;
    expect(events).toMatchObject([{ to: 'settled', actor: credentials.clients.tenantAdmin.clientId }]);
  });

  test('that cannot be made is refused and leaves nothing behind', async () => {
    const before = await transfers.balance(ann);
    const refusals: [string, object, number, string][] = [
      [bob.handle, { amount: '1000.00' }, 422, 'insufficient_funds'],
      [bob.handle, { amount: '1.00', currency: 'USD' }, 422, 'insufficient_funds'],
      [newHandle(), {}, 404, 'not_found'],
      [await newCustomer(actors), {}, 404, 'not_found'],
      ['cus_01jd0000000000000000000000', {}, 404, 'not_found'],
      [ann.handle, {}, 400, 'invalid_request'],
      [bob.handle, { amount: '0.00' }, 400, 'invalid_request'],
      [bob.handle, { amount: '-1.00' }, 400, 'invalid_request'],
      [bob.handle, { amount: '1.000' }, 400, 'invalid_request'],
      [bob.handle, { fee: '0.00' }, 400, 'invalid_request'],
      ['not an alias', {}, 400, 'invalid_request'],
    ];
    for (const [recipient, overrides, status, code] of refusals)
      expect([recipient, overrides, await transfers.send(ann.customerId, recipient, overrides)]).toMatchObject([
        recipient,
        overrides,
        { status, body: { code } },
      ]);
    const outsider = await newCustomer(actors);
    expect(await transfers.send(outsider, bob.handle)).toMatchObject({ status: 422, body: { code: 'not_enrolled' } });
    expect(await transfers.balance(ann)).toEqual(before);
  });

  test('two clicks are one transfer, at once too', async () => {
    const key = randomUUID();
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => transfers.send(ann.customerId, bob.handle, { amount: '1.01' }, key)),
    );
    const again = await transfers.send(ann.customerId, bob.handle, { amount: '1.01' }, key);
    const made = [...replies, again].filter(({ status }) => status === 201).map(({ body }) => body.transferId);
    expect(new Set(made).size).toBe(1);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(replies.every(({ status }) => [201, 409].includes(status))).toBe(true);
    expect((await transfers.send(ann.customerId, bob.handle, { amount: '1.02' }, key)).body.code).toBe(
      'idempotency_key_reused',
    );
  });

  test('is reversed once, and not when the money has moved on', async () => {
    const [carl, dora] = [await transfers.member(), await transfers.member()];
    const { transferId } = (await transfers.send(ann.customerId, carl.handle, { amount: '5.00' })).body;
    await transfers.send(carl.customerId, dora.handle, { amount: '0.01' });
    expect(await transfers.act(transferId, 'reverse')).toMatchObject({
      status: 422,
      body: { code: 'insufficient_funds' },
    });
    expect((await transfers.read(transferId)).status).toBe('settled');
    await transfers.send(ann.customerId, carl.handle, { amount: '0.01' });
    const replies = await Promise.all(
      [1, 2, 3].map(() => transfers.act(transferId, 'reverse', { reason: 'a mistake' })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(await transfers.read(transferId)).toMatchObject({
      status: 'reversed',
      statusDetail: 'Reversed: a mistake',
    });
    expect(await transfers.balance(carl)).toEqual(['0.00', '0.00']);
    expect(await causesOf(transferId)).toEqual([
      ['settle', 'posted', '5.00'],
      ['reverse', 'posted', '5.00'],
    ]);
  });

  test('of a suspended customer, or to one, is refused until it is resumed', async () => {
    const [one, other] = [await transfers.member('5.00'), await transfers.member()];
    const path = `${P2P}/customers/${one.customerId}`;
    expect((await actors.tenantAdmin.post(`${path}/suspend`, { reason: 'lost telephone' })).body).toMatchObject({
      status: 'suspended',
      suspendedBy: 'tenant',
      suspensionReason: 'lost telephone',
    });
    expect((await transfers.send(one.customerId, other.handle)).body.code).toBe('p2p_suspended');
    expect((await transfers.send(ann.customerId, one.handle)).body.code).toBe('recipient_unavailable');
    expect((await actors.tenantAdmin.post(`${path}/resume`)).body.status).toBe('active');
    expect((await transfers.send(one.customerId, other.handle)).status).toBe(201);
  });

  test('is listed and exported for whoever sent or received it', async () => {
    const [one, other] = [await transfers.member('5.00'), await transfers.member()];
    const sent = [];
    for (let count = 0; count < 3; count += 1)
      sent.push((await transfers.send(one.customerId, other.handle, { note: '=1+1' })).body.transferId);
    const list = async (query: string) =>
      (await actors.tenantAdmin.get(`${P2P}/transfers?${query}`)).body.data.map(({ transferId }: Json) => transferId);
    expect(await list(`customerId=${one.customerId}`)).toEqual([...sent].reverse());
    expect(await list(`customerId=${other.customerId}&direction=received`)).toEqual([...sent].reverse());
    expect(await list(`customerId=${other.customerId}&direction=sent`)).toEqual([]);
    const first = (await actors.tenantAdmin.get(`${P2P}/transfers?customerId=${one.customerId}&limit=2`)).body;
    expect(await list(`customerId=${one.customerId}&limit=2&cursor=${first.nextCursor}`)).toEqual([sent[0]]);
    const path = `/customer/1.0.0/${one.customerId}/transactions`;
    const transactions = (await actors.tenantAdmin.get(path)).body.data;
    expect(transactions.map(({ type, direction }: Json) => [type, direction])).toEqual([
      ...sent.map(() => ['transfer', 'sent']),
      ['topup', undefined],
    ]);
    const page = (await actors.tenantAdmin.get(`${path}?limit=2`)).body;
    const next = (await actors.tenantAdmin.get(`${path}?limit=2&cursor=${page.nextCursor}`)).body;
    expect([...page.data, ...next.data]).toEqual(transactions);
    const held = (await actors.tenantAdmin.get(`/customer/1.0.0/${other.customerId}/export`)).body.transfers;
    expect([held.made.length, held.membership.aliases[0].alias]).toEqual([3, other.handle]);
    const csv = await actors.tenantAdmin.get(`${P2P}/transfers/export?customerId=${one.customerId}`);
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/);
    const lines = csv.body.trim().split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^transferId,status,senderId/);
    expect(lines[1]).toContain("'=1+1");
  });
});

describe('a transfer that waits', () => {
  let ann: Member;
  beforeAll(async () => {
    ann = await transfers.member('100.00');
  });
  const held = async (overrides: object = {}) => {
    const recipient = await transfers.member(undefined, { acceptEach: true });
    const { status, body } = await transfers.send(ann.customerId, recipient.handle, { amount: '7.00', ...overrides });
    expect([status, body.status]).toEqual([202, 'held']);
    return { recipient, transferId: body.transferId as string };
  };

  test('is accepted once by its recipient', async () => {
    const before = await transfers.balance(ann);
    const { recipient, transferId } = await held();
    expect(await transfers.balance(recipient)).toEqual(['0.00', '0.00']);
    const replies = await Promise.all(
      (['accept', 'accept', 'decline', 'cancel'] as const).map((what) => transfers.act(transferId, what)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const { status } = await transfers.read(transferId);
    const kept = status === 'settled' ? '7.00' : '0.00';
    expect((await transfers.balance(recipient))[0]).toBe(kept);
    if (status !== 'settled') expect(await transfers.balance(ann)).toEqual(before);
  });

  test.each(['decline', 'cancel'] as const)('%s gives the money back', async (what) => {
    const before = await transfers.balance(ann);
    const { recipient, transferId } = await held();
    expect(await transfers.balance(ann)).not.toEqual(before);
    expect(await transfers.act(transferId, what)).toMatchObject({
      status: 200,
      body: { status: `${what}d`.replace('eld', 'elled') },
    });
    expect(await transfers.balance(ann)).toEqual(before);
    expect(await transfers.balance(recipient)).toEqual(['0.00', '0.00']);
    expect((await causesOf(transferId)).map(([, phase]) => phase)).toEqual(['pending', 'void']);
  });

  test('expires by itself', async () => {
    const before = await transfers.balance(ann);
    const { transferId } = await held({ expiresAt: new Date(Date.now() + 1_500).toISOString() });
    expect(await transfers.until(transferId, 'expired')).toMatchObject({ status: 'expired' });
    expect(await transfers.balance(ann)).toEqual(before);
    expect((await transfers.act(transferId, 'accept')).status).toBe(409);
  });

  test.each([
    ['e-mail address', newEmail],
    ['telephone number', newPhone],
  ])('for an %s that is nobody’s is invited, and settles when somebody joins with it', async (_what, alias) => {
    const to = alias();
    const { status, body } = await transfers.send(ann.customerId, to, { amount: '3.00' });
    expect([status, body.status, body.recipientId]).toEqual([202, 'held', undefined]);
    expect(JSON.stringify(body)).not.toContain(to);
    const letter = await until(`an invitation to ${to}`, async () => (await mailbox(apiUrl, to))[0]);
    expect(letter.text).toContain('Wallet Owner has sent you 3.00 EUR');
    expect((await transfers.act(body.transferId, 'accept')).status).toBe(409);
    const customerId = await newCustomer(actors);
    expect((await transfers.enroll(customerId, to)).status).toBe(201);
    expect(await transfers.read(body.transferId)).toMatchObject({ status: 'settled', recipientId: customerId });
    expect(await transfers.balance({ customerId })).toEqual(['3.00', '0.00']);
    expect((await causesOf(body.transferId)).map(([cause]) => cause)).toEqual(['hold', 'settle', 'joined']);
  });
});

describe('at once', () => {
  test('one wallet spent by fifty requests never falls below zero, and the sums are exact', async () => {
    const ann = await transfers.member('10.00');
    const others = await Promise.all([1, 2, 3].map(() => transfers.member()));
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) => transfers.send(ann.customerId, others[n % 3]!.handle)),
    );
    const settled = replies.filter(({ status }) => status === 201);
    expect(settled).toHaveLength(10);
    expect(replies.filter(({ body }) => body.code === 'insufficient_funds')).toHaveLength(40);
    expect(await transfers.balance(ann)).toEqual(['0.00', '0.00']);
    const arrived = await Promise.all(others.map(async (one) => Number((await transfers.balance(one))[0])));
    expect(arrived.reduce((sum, one) => sum + one, 0)).toBe(10);
  });

  test('opposite transfers do not wait for each other', async () => {
    const [ann, bob] = [await transfers.member('50.00'), await transfers.member('50.00')];
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        n % 2 ? transfers.send(ann.customerId, bob.handle) : transfers.send(bob.customerId, ann.handle),
      ),
    );
    expect(replies.every(({ status }) => status === 201)).toBe(true);
    expect([await transfers.balance(ann), await transfers.balance(bob)]).toEqual([
      ['50.00', '0.00'],
      ['50.00', '0.00'],
    ]);
  });
});

describe('a request for money', () => {
  const ask = async (overrides: object = {}) => {
    const [requester, payer] = [await transfers.member(), await transfers.member('20.00')];
    const { status, body } = await actors.tenantAdmin.post(`${P2P}/requests`, {
      requesterId: requester.customerId,
      payer: payer.handle,
      amount: '4.00',
      currency: 'EUR',
      ...overrides,
    });
    expect([status, body.status]).toEqual([201, 'pending']);
    const act = (what: string) => actors.tenantAdmin.post(`${P2P}/requests/${body.requestId}/${what}`);
    return { requester, payer, requestId: body.requestId as string, act };
  };

  test('is paid once', async () => {
    const { requester, payer, act, requestId } = await ask();
    const replies = await Promise.all([1, 2, 3].map(() => act('accept')));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const { transferId } = replies.find(({ status }) => status === 200)!.body;
    expect(await transfers.read(transferId)).toMatchObject({ status: 'settled', requestId });
    expect([await transfers.balance(requester), await transfers.balance(payer)]).toEqual([
      ['4.00', '0.00'],
      ['16.00', '0.00'],
    ]);
  });

  test('stays as it is when the payer cannot pay', async () => {
    const { act } = await ask({ amount: '20.01' });
    expect(await act('accept')).toMatchObject({ status: 422, body: { code: 'insufficient_funds' } });
    expect(await act('decline')).toMatchObject({ status: 200, body: { status: 'declined' } });
    expect((await act('cancel')).status).toBe(409);
  });

  test('is taken back, and expires by itself', async () => {
    expect((await (await ask()).act('cancel')).body.status).toBe('cancelled');
    const { requestId, act } = await ask({ expiresAt: new Date(Date.now() + 1_500).toISOString() });
    await until('it has expired', async () => {
      const { body } = await actors.tenantAdmin.get(`${P2P}/requests/${requestId}`);
      return body.status === 'expired';
    });
    expect((await act('accept')).status).toBe(409);
  });
});

describe('a schedule', () => {
  const soon = (ms = 2_000) => new Date(Date.now() + ms).toISOString();
  const schedule = (senderId: string, recipient: string, overrides: object = {}) =>
    actors.tenantAdmin.post(`${P2P}/schedules`, {
      senderId,
      recipient,
      amount: '2.00',
      currency: 'EUR',
      frequency: 'once',
      startsAt: soon(),
      ...overrides,
    });
  const madeBy = (scheduleId: string) =>
    until(`a transfer of ${scheduleId}`, async () => {
      const { body } = await actors.tenantAdmin.get(`${P2P}/transfers?scheduleId=${scheduleId}`);
      return body.data[0];
    });

  test('makes its transfer when it is due, and ends', async () => {
    const [ann, bob] = [await transfers.member('5.00'), await transfers.member()];
    const { status, body } = await schedule(ann.customerId, bob.handle);
    expect([status, body.status]).toEqual([201, 'active']);
    expect(await madeBy(body.scheduleId)).toMatchObject({
      status: 'settled',
      scheduledFor: body.startsAt,
      senderId: ann.customerId,
      recipientId: bob.customerId,
    });
    expect(await transfers.balance(bob)).toEqual(['2.00', '0.00']);
    expect((await actors.tenantAdmin.get(`${P2P}/schedules/${body.scheduleId}`)).body.status).toBe('ended');
  });

  test('shows what was refused and why, and goes on', async () => {
    const [ann, bob] = [await transfers.member(), await transfers.member()];
    const { body } = await schedule(ann.customerId, bob.handle, { frequency: 'daily' });
    expect(await madeBy(body.scheduleId)).toMatchObject({
      status: 'failed',
      statusDetail: 'There is not enough available in the wallet',
    });
    const path = `${P2P}/schedules/${body.scheduleId}`;
    const { body: after } = await actors.tenantAdmin.get(path);
    expect([after.status, after.nextAt]).toEqual([
      'active',
      new Date(new Date(body.startsAt).getTime() + 86_400_000).toISOString(),
    ]);
    expect((await actors.tenantAdmin.post(`${path}/cancel`)).body).toMatchObject({ status: 'cancelled' });
  });

  test('is refused for a start that has passed and for somebody unknown', async () => {
    const ann = await transfers.member();
    expect((await schedule(ann.customerId, newHandle())).status).toBe(404);
    const { handle } = await transfers.member();
    expect((await schedule(ann.customerId, handle, { startsAt: soon(-5_000) })).status).toBe(400);
    expect((await schedule(ann.customerId, handle, { endsAt: soon(-5_000) })).status).toBe(400);
  });
});
