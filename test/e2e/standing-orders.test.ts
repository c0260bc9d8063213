import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, Caller, type Json, outOfBalance, type Reply, send, until } from './client';
import { type Member, mailbox, newHandle, Transfers } from './p2p';
import { newCustomer } from './topups';

const { credentials, apiUrl } = sharedStack();
const WALLET = '/wallet/1.0.0/customers';
const PASSWORD = 'a password of this test';

let actors: Actors;
let stranger: Actors;
let transfers: Transfers;

beforeAll(async () => {
  [actors, stranger] = await Promise.all([actorsOf(credentials), actorsOf(credentials, credentials.other)]);
  transfers = new Transfers(actors.tenantAdmin, actors);
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

const beneficiariesOf = (customerId: string) => `${WALLET}/${customerId}/beneficiaries`;
const ordersOf = (customerId: string) => `${WALLET}/${customerId}/standing-orders`;
const act = (method: string, path: string, body?: object, by: Caller = actors.tenantAdmin): Promise<Reply> =>
  send(apiUrl + path, { method, headers: by.headers, body });
const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Daily from today on, 1.00 EUR, unless overridden. */
const order = (customerId: string, overrides: object, headers: Record<string, string> = {}): Promise<Reply> =>
  actors.tenantAdmin.post(
    ordersOf(customerId),
    { amount: '1.00', currency: 'EUR', frequency: 'daily', firstDate: dayFromNow(0), ...overrides },
    headers,
  );
const runsOf = async (customerId: string, orderId: string): Promise<Json[]> =>
  (await actors.tenantAdmin.get(`${ordersOf(customerId)}/${orderId}/runs`)).body.data;
const ran = (customerId: string, orderId: string, count = 1): Promise<Json[]> =>
  until(`${count} runs of ${orderId}`, async () => {
    const runs = await runsOf(customerId, orderId);
    return runs.length >= count && runs;
  });

/** A customer who has joined and can be written to, with what is in its wallet. */
async function member(balance?: string): Promise<Member & { email: string }> {
  const made = await transfers.member(balance);
  const { body } = await actors.tenantAdmin.get(`/customer/1.0.0/fetch/${made.customerId}`);
  return { ...made, email: body.person.email };
}

describe('beneficiaries', () => {
  test('are saved once by alias, customer or IBAN, renamed and removed', async () => {
    const [ann, bob] = [await newCustomer(actors), await member('1.00')];
    const { body: balances } = await actors.tenantAdmin.get(`${WALLET}/${bob.customerId}/balances`);
    const { iban } = (balances.data ?? balances)[0];
    const path = beneficiariesOf(ann);
    const add = (body: object) => actors.tenantAdmin.post(path, { name: 'Bob', ...body });
    const saved = [
      await add({ alias: `@${bob.handle.toUpperCase()}` }),
      await add({ customerId: bob.customerId }),
      await add({ iban }),
    ];
    expect(saved.map(({ status, body }) => [status, body.type, body.recipient])).toEqual([
      [201, 'alias', bob.handle],
      [201, 'customer', bob.customerId],
      [201, 'iban', iban],
    ]);
    const again = await Promise.all([1, 2, 3].map(() => add({ alias: bob.handle })));
    expect(again.map(({ status, body }) => [status, body])).toEqual(again.map(() => [200, saved[0]!.body]));
    const ids = saved.map(({ body }) => body.beneficiaryId);
    const { body: listed } = await actors.tenantAdmin.get(path);
    expect(listed.data.map(({ beneficiaryId }: Json) => beneficiaryId)).toEqual([...ids].reverse());
    const renamed = await act('PUT', `${path}/${ids[0]}`, { name: 'Robert' });
    expect([renamed.status, renamed.body.name, renamed.body.recipient]).toEqual([200, 'Robert', bob.handle]);
    expect((await act('DELETE', `${path}/${ids[0]}`)).status).toBe(200);
    for (const method of ['GET', 'DELETE']) expect((await act(method, `${path}/${ids[0]}`)).status).toBe(404);
    expect((await add({ alias: bob.handle })).status).toBe(201);
  });

  test('are refused when they are nobody, oneself, or several', async () => {
    const [ann, foreigner] = [await newCustomer(actors), await newCustomer(stranger)];
    const add = (body: object) => actors.tenantAdmin.post(beneficiariesOf(ann), { name: 'X', ...body });
    expect((await add({ customerId: foreigner })).status).toBe(404);
    expect((await add({ customerId: ann })).status).toBe(400);
    for (const wrong of [{}, { alias: 'a b' }, { iban: 'DE00370400440532013000' }, { alias: 'abc', customerId: ann }])
      expect((await add(wrong)).status).toBe(400);
    expect((await stranger.tenantAdmin.get(beneficiariesOf(ann))).status).toBe(404);
    expect((await actors.tenantAdmin.post(beneficiariesOf(ann), { alias: newHandle() })).status).toBe(400);
  });

  test('are their customer’s own, who gives the second factor where trading is on', async () => {
    const email = `trader-${randomUUID()}@example.com`;
    const person = { firstName: { name: 'T' }, lastName: { name: 'R' }, email, password: PASSWORD };
    const customerId = await newCustomer(actors, { person });
    const { body: token } = await send(`${apiUrl}/auth/1.0.0/customers/token`, {
      method: 'POST',
      body: { tenantId: credentials.tenantId, email, password: PASSWORD },
    });
    const self = new Caller(apiUrl, {
      authorization: `Bearer ${token.access_token ?? token.token}`,
      tenantid: credentials.tenantId,
    });
    const codeAt = async (count: number) => {
      const letters = await until(`message ${count}`, async () => {
        const found = await mailbox(apiUrl, email);
        return found.length >= count && found;
      });
      return /\b\d{6}\b/.exec(letters[0].text)![0];
    };
    const verifications = `/customer/1.0.0/${customerId}/verifications`;
    const { sessionId } = (await self.post(verifications, { type: 'email', value: email })).body;
    await self.post(`${verifications}/confirm`, { sessionId, code: await codeAt(1) });
    await act('PUT', `/customer/1.0.0/twoFA/changeTwoFa/${customerId}`, { trading: true });

    const path = beneficiariesOf(customerId);
    const bob = { name: 'Bob', alias: newHandle() };
    const asked = await self.post(path, bob);
    expect([asked.status, asked.body.code]).toEqual([422, 'two_factor_required']);
    const answer = {
      'x-two-factor-session': asked.body.session.sessionId,
      'x-two-factor-code': await codeAt(2),
    };
    expect((await self.post(path, bob, answer)).status).toBe(201);
    expect((await self.get(path)).body.data).toHaveLength(1);
    expect((await self.get(beneficiariesOf(await newCustomer(actors)))).status).toBe(404);
    const { body: audit } = await actors.tenantAdmin.get(`/customer/1.0.0/${customerId}/export`);
    const addedBy = (whole: Json) =>
      whole.audit.filter(({ action }: Json) => action === 'customer.beneficiary_added').map(({ actor }: Json) => actor);
    expect(addedBy(audit)).toEqual([customerId]);
    await actors.tenantAdmin.post(path, { name: 'Eve', alias: newHandle() });
    const { body: later } = await actors.tenantAdmin.get(`/customer/1.0.0/${customerId}/export`);
    expect(addedBy(later)).toEqual([credentials.clients.tenantAdmin.clientId, customerId]);
    expect(later.beneficiaries.map(({ name }: Json) => name)).toEqual(['Bob', 'Eve']);
    expect(later.standingOrders).toEqual([]);
  });
});

describe('a standing order', () => {
  test('pays a saved recipient when it is due, once', async () => {
    const [ann, bob] = [await member('10.00'), await member()];
    const { body: saved } = await actors.tenantAdmin.post(beneficiariesOf(ann.customerId), {
      name: 'Bob',
      alias: bob.handle,
    });
    const key = { 'idempotency-key': randomUUID() };
    const body = { beneficiaryId: saved.beneficiaryId, note: 'rent', lastDate: dayFromNow(40) };
    const made = await order(ann.customerId, body, key);
    expect([made.status, made.body]).toMatchObject([
      201,
      { status: 'active', recipientId: bob.customerId, amount: '1.00', frequency: 'daily', lastDate: dayFromNow(40) },
    ]);
    expect((await order(ann.customerId, body, key)).body.standingOrderId).toBe(made.body.standingOrderId);
    const { standingOrderId, nextAt } = made.body;
    const [run] = await ran(ann.customerId, standingOrderId);
    expect(run).toMatchObject({ status: 'made', dueAt: nextAt, transferId: expect.stringMatching(/^trf_/) });
    expect(await transfers.read(run.transferId)).toMatchObject({ status: 'settled', note: 'rent', amount: '1.00' });
    expect(await transfers.balance(ann)).toEqual(['9.00', '0.00']);
    const path = `${ordersOf(ann.customerId)}/${standingOrderId}`;
    const { body: after } = await actors.tenantAdmin.get(path);
    expect([after.status, after.nextAt]).toEqual(['active', new Date(Date.parse(nextAt) + 86_400_000).toISOString()]);
    expect((await act('DELETE', `${beneficiariesOf(ann.customerId)}/${saved.beneficiaryId}`)).status).toBe(200);
    const { body: still } = await actors.tenantAdmin.get(path);
    expect([still.status, still.beneficiaryId]).toEqual(['active', undefined]);
    expect((await act('POST', `${path}/cancel`)).body.status).toBe('cancelled');
  });

  test('that cannot be paid is noted and told, and goes on', async () => {
    const [ann, bob] = [await member(), await member()];
    const { body } = await order(ann.customerId, { recipient: bob.customerId });
    const [run] = await ran(ann.customerId, body.standingOrderId);
    expect(run).toMatchObject({ status: 'failed', detail: expect.stringMatching(/not enough/) });
    const letter = await until('the mail', async () => (await mailbox(apiUrl, ann.email))[0]);
    expect(letter.subject).toBe('Your standing order of 1.00 EUR was not carried out');
    expect((await actors.tenantAdmin.get(`${ordersOf(ann.customerId)}/${body.standingOrderId}`)).body.status).toBe(
      'active',
    );
  });

  test('is skipped while it is paused, goes on when it is resumed, and is over when it is cancelled', async () => {
    const [ann, bob] = [await member('10.00'), await member()];
    const { body } = await order(ann.customerId, { recipient: `@${bob.handle}` });
    const path = `${ordersOf(ann.customerId)}/${body.standingOrderId}`;
    const connection = await Connection.connect({ address: credentials.temporalAddress });
    try {
      const schedule = new Client({ connection }).schedule.getHandle(`p2p/${body.standingOrderId}`);
      // The engine tells runs of a schedule apart by the second.
      const dueNow = async () => {
        await sleep(1_000);
        await schedule.trigger();
      };
      await ran(ann.customerId, body.standingOrderId);
      const step = async (name: string) => (await act('POST', `${path}/${name}`)).body.status;
      expect([await step('pause'), await step('pause')]).toEqual(['paused', 'paused']);
      const { body: paused } = await actors.tenantAdmin.get(`${ordersOf(ann.customerId)}?status=paused`);
      expect(paused.data.map(({ standingOrderId }: Json) => standingOrderId)).toEqual([body.standingOrderId]);
      await dueNow();
      const [skipped] = await ran(ann.customerId, body.standingOrderId, 2);
      expect([skipped.status, skipped.transferId]).toEqual(['skipped', undefined]);
      const letter = await until('the mail', async () => (await mailbox(apiUrl, ann.email))[0]);
      expect(letter.subject).toBe('Your standing order of 1.00 EUR was skipped');
      expect(await transfers.balance(ann)).toEqual(['9.00', '0.00']);
      expect([await step('resume'), await step('resume')]).toEqual(['active', 'active']);
      await dueNow();
      expect((await ran(ann.customerId, body.standingOrderId, 3))[0].status).toBe('made');
      expect(await transfers.balance(ann)).toEqual(['8.00', '0.00']);
      expect([await step('cancel'), await step('cancel')]).toEqual(['cancelled', 'cancelled']);
      expect((await act('POST', `${path}/resume`)).status).toBe(409);
      await until('the schedule is gone', () =>
        schedule.describe().then(
          () => false,
          () => true,
        ),
      );
    } finally {
      await connection.close();
    }
  });

  test('needs days in order, a recipient who has joined, and its customer', async () => {
    const [ann, bob] = [await member('1.00'), await member()];
    const recipient = bob.customerId;
    const field = async (overrides: object) => {
      const { status, body } = await order(ann.customerId, { recipient, ...overrides });
      return [status, body.details?.[0].field];
    };
    expect(await field({ firstDate: dayFromNow(-1) })).toEqual([400, 'firstDate']);
    expect(await field({ firstDate: '2030-02-30' })).toEqual([400, 'firstDate']);
    expect(await field({ firstDate: dayFromNow(3), lastDate: dayFromNow(2) })).toEqual([400, 'lastDate']);
    expect(await field({ frequency: 'once' })).toEqual([400, 'frequency']);
    expect(await field({ amount: '0.00' })).toEqual([400, 'amount']);
    expect((await order(ann.customerId, { recipient: newHandle() })).status).toBe(404);
    expect((await order(ann.customerId, { recipient: ann.customerId })).status).toBe(400);
    expect((await order(ann.customerId, {})).status).toBe(400);
    const { body: later } = await order(ann.customerId, { recipient, frequency: 'monthly', firstDate: dayFromNow(5) });
    expect(later.nextAt).toBe(`${dayFromNow(5)}T06:00:00.000Z`);
    expect(await runsOf(ann.customerId, later.standingOrderId)).toEqual([]);
    expect((await actors.tenantAdmin.get(`${ordersOf(bob.customerId)}/${later.standingOrderId}`)).status).toBe(404);
    expect((await stranger.tenantAdmin.get(ordersOf(ann.customerId))).status).toBe(404);
  });
});
