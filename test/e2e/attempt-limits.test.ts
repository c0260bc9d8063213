import { newUuid } from '../../src/domain/ids';
import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, CARDS, challenge, type Json, type Reply, send, until } from './client';
import { ownTenant } from './tenants';
import { newCustomer, Topups } from './topups';

/** Limits on declined card attempts: each test has a tenant of its own. */

const { credentials, apiUrl } = sharedStack();
const LIMITS = '/routing/1.0.0/attempt-limits';
const HOUR = 3_600;
let actors: Actors;

beforeEach(async () => {
  actors = await actorsOf(credentials, await ownTenant());
});

const put = (limits: Json[], { headers } = actors.tenantAdmin): Promise<Reply> =>
  send(apiUrl + LIMITS, { method: 'PUT', headers, body: { limits } });
async function limit(...limits: Json[]): Promise<void> {
  expect(await put(limits)).toMatchObject({ status: 200, body: { limits } });
}
const perCard = (declined: number) => ({ per: 'card', declined, windowSeconds: HOUR });
const codeOf = ({ body }: Reply): number => body.data.result.code;
const sent = async (id: string): Promise<boolean> => (await actors.simulator.charges(id)).length > 0;
async function refusals(target: string): Promise<Json[]> {
  const { body } = await actors.tenantAdmin.get('/identity/1.0.0/audit?action=card_attempt.refused&limit=200');
  return body.data.filter((line: Json) => line.target === target).map(({ detail }: Json) => detail);
}

test('of fifty declined attempts at once with one card, just so many are sent', async () => {
  await limit(perCard(4));
  const replies = await Promise.all(Array.from({ length: 50 }, () => actors.merchant.pay(CARDS.declined)));
  expect(replies.map(({ status }) => status)).toEqual(Array(50).fill(201));
  const ids: string[] = replies.map(({ body }) => body.data.paymentId);
  const wereSent = await Promise.all(ids.map(sent));
  expect(wereSent.filter(Boolean)).toHaveLength(4);
  const refused = replies.filter((_, at) => !wereSent[at]);
  expect(refused.map(codeOf)).toEqual(Array(46).fill(206));
  // The answer does not say which limit it was, nor that there are limits.
  expect(refused[0]!.body.data.status).toMatchObject({ detail: 'The payment was declined.' });
  expect(JSON.stringify(refused[0]!.body)).not.toMatch(/limit|attempt|per card/i);
  const { paymentId } = refused[0]!.body.data;
  expect((await actors.merchant.events(paymentId)).at(-1)).toMatchObject({ cause: 'attempt limits' });
  expect((await actors.merchant.get(`/ipg/1.0.0/payment/payments/${paymentId}/attempts`)).body.data).toEqual([]);
  expect(await refusals(paymentId)).toEqual([{ per: ['card'] }]);
  // Another card still pays.
  await actors.merchant.paid(CARDS.visa);
});

test('what is approved, never charged or abandoned does not count', async () => {
  await limit({ per: 'merchant', declined: 1, windowSeconds: HOUR });
  for (let times = 0; times < 3; times += 1) await actors.merchant.paid(CARDS.visa);
  const unreached = (await actors.merchant.pay(CARDS.closesConnection)).body.data;
  await actors.merchant.until(unreached.paymentId, 'failed');
  const held = await actors.merchant.paid(CARDS.mastercard, { capture: 'manual' }, ['authorized']);
  await actors.merchant.cancel(held.paymentId);
  expect(codeOf(await actors.merchant.pay(CARDS.insufficientFunds))).toBe(201);
  expect(codeOf(await actors.merchant.pay(CARDS.visa))).toBe(206);
  // Without limits nothing is refused.
  await limit();
  await actors.merchant.paid(CARDS.visa);
});

test('a failed authentication counts', async () => {
  await limit(perCard(1));
  const asked = (await actors.merchant.pay(CARDS.challenge)).body.data;
  // While it is not known how it ends, it counts too.
  expect(codeOf(await actors.merchant.pay(CARDS.challenge))).toBe(206);
  await challenge(asked.action.url, 'failed');
  await actors.merchant.until(asked.paymentId, 'failed');
  expect(codeOf(await actors.merchant.pay(CARDS.challenge))).toBe(206);
});

test('a customer, and a source address, are limited whatever card they try', async () => {
  await limit(
    { per: 'customer', declined: 2, windowSeconds: HOUR },
    { per: 'address', declined: 1, windowSeconds: HOUR },
  );
  const [customerId, other] = [await newCustomer(actors), await newCustomer(actors)];
  const pay = (number: string, customer: object) => actors.merchant.pay(number, { customer });
  expect(codeOf(await pay(CARDS.declined, { customerId }))).toBe(200);
  expect(codeOf(await pay(CARDS.lost, { customerId }))).toBe(205);
  const third = await pay(CARDS.visa, { customerId });
  expect([codeOf(third), await refusals(third.body.data.paymentId)]).toEqual([206, [{ per: ['customer'] }]]);
  expect(codeOf(await pay(CARDS.visa, { customerId: other }))).toBe(0);

  expect(codeOf(await pay(CARDS.declined, { ipAddress: '2001:db8::1' }))).toBe(200);
  expect(codeOf(await pay(CARDS.visa, { ipAddress: '2001:db8::ffff:2' }))).toBe(206);
  expect(codeOf(await pay(CARDS.visa, { ipAddress: '2001:db8:0:1::1' }))).toBe(0);
  expect(codeOf(await pay(CARDS.declined, { ipAddress: '192.0.2.1' }))).toBe(200);
  expect(codeOf(await pay(CARDS.visa, { ipAddress: '::ffff:192.0.2.1' }))).toBe(206);
  expect(codeOf(await pay(CARDS.visa, { ipAddress: '192.0.2.2' }))).toBe(0);
});

test('payments, top-ups, card checks and the page of a link count together', async () => {
  await limit(perCard(2));
  const customerId = await newCustomer(actors);
  const check = (number: string) =>
    actors.tenantAdmin.post(`/customer/1.0.0/${customerId}/paymentMethods`, {
      card: { number, holder: 'A Owner', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
    });
  const declined = await check(CARDS.declined);
  expect([declined.status, declined.body.code]).toEqual([422, 'card_not_verified']);
  expect(declined.body.message).toContain('200');
  const topups = new Topups(actors.tenantAdmin);
  expect((await topups.create(customerId, {}, CARDS.declined)).body.result.code).toBe(200);

  const topup = (await topups.create(customerId, {}, CARDS.declined)).body;
  expect([topup.status, topup.result.code]).toEqual(['failed', 206]);
  const checked = await check(CARDS.declined);
  expect([checked.status, checked.body.code]).toEqual([422, 'card_not_verified']);
  expect(checked.body.message).toContain('206');
  expect(codeOf(await actors.merchant.pay(CARDS.declined))).toBe(206);
  const paymentId = await byLink(CARDS.declined);
  const byPage = await until('the page has paid', async () => {
    const found = await actors.merchant.status(paymentId);
    return found?.transactionStatus === 'failed' && found;
  });
  expect([byPage.result.code, await sent(paymentId)]).toEqual([206, false]);
});

test('a card check counts for the organization of its customer', async () => {
  await limit({ per: 'merchant', declined: 1, windowSeconds: HOUR });
  const { organizationid: organizationId } = actors.merchant.headers as { organizationid: string };
  const [own, nobodys] = [await newCustomer(actors, { organizationId }), await newCustomer(actors)];
  const check = (customerId: string, number: string) =>
    actors.tenantAdmin.post(`/customer/1.0.0/${customerId}/paymentMethods`, {
      card: { number, holder: 'A Owner', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
    });
  expect((await check(nobodys, CARDS.declined)).body.message).toContain('200');
  expect((await check(own, CARDS.declined)).body.message).toContain('200');
  expect((await check(own, CARDS.visa)).body.message).toContain('206');
  expect(codeOf(await actors.merchant.pay(CARDS.visa))).toBe(206);
  expect((await check(nobodys, CARDS.visa)).status).toBe(201);
});

async function byLink(number: string): Promise<string> {
  const lines = [{ description: 'A mug', amount: '10.00', quantity: 1 }];
  const link = await actors.merchant.post('/payment-links/1.0.0/links', { title: 'Mugs', lines, currency: 'EUR' });
  const typed = { number, expiry: '12/40', cvv: '123', holder: 'Ana Silva', email: 'ana@example.com', method: '1' };
  const body = new URLSearchParams({ ...typed, attempt: newUuid(), order: newUuid() });
  const { headers } = await fetch(link.body.url, { method: 'POST', body, redirect: 'manual' });
  return /pay_[0-9a-z]{26}/.exec(headers.get('location') ?? '')![0];
}

test('only the tenant’s admin sets them, once for each', async () => {
  expect((await actors.tenantAdmin.get(LIMITS)).body).toEqual({ limits: [] });
  expect((await put([perCard(1)], actors.merchant)).status).toBe(403);
  const { status, body } = await put([perCard(1), perCard(2)]);
  expect([status, body.details[0].field]).toEqual([400, 'limits[1]']);
  expect((await put([{ ...perCard(1), windowSeconds: 31 * 24 * HOUR }])).status).toBe(400);
  await limit(perCard(3));
  expect((await actors.tenantAdmin.get(LIMITS)).body).toEqual({ limits: [perCard(3)] });
});
