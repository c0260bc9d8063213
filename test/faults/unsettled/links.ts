import { newUuid } from '../../../src/domain/ids';
import { CARDS, challenge, type Json, type Reply, send, transactionId, until } from '../../e2e/client';
import { Goods } from '../../e2e/goods';
import { auditOf, databaseOf } from '../inside';
import { killWorkers } from './kill';
import { place } from './place';

const LINKS = '/payment-links/1.0.0/links';
const GIFT = { amount: { min: '5.00', max: '500.00' }, currency: 'EUR', title: 'A gift' };
const CARD = { number: CARDS.visa, expiry: '12/40', cvv: '123', holder: 'Ana Silva', email: 'ana@example.com' };

async function create(body: object): Promise<Json> {
  const reply = await place.actors.merchant.post(LINKS, body);
  if (reply.status !== 201) throw new Error(`not created: ${JSON.stringify(reply.body)}`);
  return reply.body;
}
const links = (count: number, body: object) => Promise.all(Array.from({ length: count }, () => create(body)));
const get = async (linkId: string): Promise<Json> => (await place.actors.merchant.get(`${LINKS}/${linkId}`)).body;
const become = (linkId: string, status: string) =>
  until(`${linkId} is ${status}`, async () => {
    const link = await get(linkId);
    return link.status === status && link;
  });

/** The answer to a request that is sent again under its key until somebody answers it. */
const answered = (request: () => Promise<Reply>) =>
  until('it is answered', async () => {
    const reply = await request().catch(() => undefined);
    return reply && reply.status < 500 && reply.body.code !== 'idempotency_in_progress' && reply;
  });

/** Sends requests under keys, and kills everything that works on them once `isUnderway` says so; then sends them again. */
async function cutOff(
  requests: ((key: Record<string, string>) => Promise<Reply>)[],
  isUnderway: () => Promise<boolean>,
): Promise<Reply[]> {
  const keyed = requests.map((request) => {
    const key = { 'idempotency-key': transactionId() };
    return () => request(key);
  });
  const first = Promise.all(keyed.map((request) => request().catch(() => undefined)));
  await until('some of them are done', isUnderway);
  await killWorkers();
  await first;
  return Promise.all(keyed.map(answered));
}

/** How often something is in the database, whatever the API shows. */
async function counted(table: string, where: object): Promise<number> {
  const database = databaseOf(place.stack);
  const rows = await database
    .system(table)
    .where(where)
    .count({ count: '*' })
    .first()
    .finally(() => database.close());
  return Number(rows?.count);
}

/** Posts the form of the page as a browser does. */
const pay = (url: string, form: Record<string, string>) =>
  fetch(url, { method: 'POST', body: new URLSearchParams({ ...CARD, method: '1', ...form }), redirect: 'manual' });

test('killed while links are approved: each is approved once, and told once', async () => {
  const { merchant, tenantAdmin } = place.actors;
  const url = `http://127.0.0.1:9/${transactionId()}`;
  const { endpointId } = (await merchant.post('/notifications/1.0.0/endpoints', { url, events: ['link.*'] })).body;
  const waiting = await links(40, { ...GIFT, approval: 'required' });
  const replies = await cutOff(
    waiting.map(
      ({ linkId }) =>
        (key) =>
          tenantAdmin.post(`${LINKS}/${linkId}/approve`, undefined, key),
    ),
    async () => (await get(waiting[3].linkId)).status === 'active',
  );
  // What was done before the crash is refused as done already.
  expect(replies.map(({ status, body }) => status === 200 || body.code)).toEqual(
    replies.map(({ status }) => (status === 200 ? true : 'invalid_state')),
  );
  for (const { linkId } of waiting) {
    const { approval } = await become(linkId, 'active');
    expect(approval.decisions).toHaveLength(1);
    expect(await counted('notifications', { subject_id: linkId, type: 'link.approved' })).toBe(1);
    expect(await counted('audit_log', { target: linkId, action: 'payment_link.approve' })).toBe(1);
  }
  const { apiUrl, headers } = merchant;
  await send(`${apiUrl}/notifications/1.0.0/endpoints/${endpointId}`, { method: 'DELETE', headers });
}, 120_000);

test('killed while links are shared: one e-mail each', async () => {
  const { merchant } = place.actors;
  const shared = (await links(20, GIFT)).map((link) => ({ ...link, to: `${transactionId()}@buyer.example` }));
  const replies = await cutOff(
    shared.map(
      ({ linkId, to }) =>
        (key) =>
          merchant.post(`${LINKS}/${linkId}/share`, { channel: 'email', to }, key),
    ),
    async () => (await merchant.get(`${LINKS}/${shared[2].linkId}/shares`)).body.data?.length > 0,
  );
  expect(replies.map(({ status }) => status)).toEqual(shared.map(() => 201));
  for (const [index, { linkId, to }] of shared.entries()) {
    const share = await until('it is delivered', async () => {
      const { data } = (await merchant.get(`${LINKS}/${linkId}/shares`)).body;
      return data[0]?.delivery === 'delivered' && data;
    });
    expect(share).toMatchObject([{ shareId: replies[index]!.body.shareId, sends: 1 }]);
    const { data } = (await send(`${place.stack.apiUrl}/sandbox/mailbox?to=${encodeURIComponent(to)}`)).body;
    expect(data.length).toBeGreaterThanOrEqual(1);
  }
}, 120_000);

test('killed while links expire: each expires, and gives back what it held', async () => {
  const goods = new Goods(place.actors);
  const { itemId } = await goods.approved({ price: '10.00', quantity: 30 });
  const orders = await Promise.all(Array.from({ length: 30 }, () => goods.ordered([{ itemId, quantity: 1 }])));
  const expiresAt = new Date(Date.now() + 6_000).toISOString();
  const due = await Promise.all(orders.map(({ orderId }) => create({ orderId, title: 'An order', expiresAt })));
  const statuses = () => Promise.all(due.map(async ({ linkId }) => (await get(linkId)).status));
  await until('some have expired', async () => (await statuses()).includes('expired'));
  await killWorkers();
  for (const { linkId } of due) await become(linkId, 'expired');
  await until('all pieces are free', async () => (await goods.item(itemId)).reserved === 0);
  expect((await goods.item(itemId)).quantity).toBe(30);
  expect((await auditOf(place.stack)).findings).toEqual([]);
}, 120_000);

test('killed between the payment of an order and what follows from it: paid once, sold once', async () => {
  const goods = new Goods(place.actors);
  const { itemId } = await goods.approved({ price: '10.00', quantity: 3 });
  const { orderId } = await goods.ordered([{ itemId, quantity: 2 }]);
  const { linkId, url } = await create({ orderId, title: 'Two mugs' });
  const { merchant, simulator } = place.actors;
  const form = { number: CARDS.challenge, attempt: newUuid(), order: newUuid() };
  expect((await pay(url, form)).status).toBe(303);
  const [{ paymentId }] = (await merchant.get(`/ipg/1.0.0/payment/payments?linkId=${linkId}`)).body.data;
  const { action } = await merchant.until(paymentId, 'requires_action');
  await simulator.fault('authorize', 'delay', { times: 1, delayMs: 500 });
  const authenticated = challenge(action.url, 'authenticated').catch(() => undefined);
  await until('the payer has answered', async () => {
    const { transactionStatus } = (await merchant.get(`/ipg/1.0.0/payment/payments/${paymentId}/status-by-payment-id`))
      .body.data;
    return transactionStatus !== 'requires_action';
  });
  await killWorkers();
  await authenticated;
  await become(linkId, 'paid');
  const order = await until('the order is paid', async () => {
    const { body } = await merchant.get(`/orders/1.0.0/orders/${orderId}`);
    return body.status === 'paid' && body;
  });
  expect(order.paymentId).toBe(paymentId);
  expect(await goods.item(itemId)).toMatchObject({ quantity: 1, reserved: 0 });
  expect(await simulator.charges(paymentId)).toMatchObject([{ captured: '20.00' }]);
  expect((await auditOf(place.stack)).findings).toEqual([]);
}, 120_000);

test('the API killed between the form of a buyer and its answer: the same form again is the same payment', async () => {
  const { merchant, simulator } = place.actors;
  const { linkId, url } = await create({ ...GIFT, maxPayments: 1 });
  const form = { amount: '25.00', attempt: newUuid(), order: newUuid() };
  await simulator.fault('authorize', 'delay', { times: 1, delayMs: 1_200 });
  const first = pay(url, form).catch(() => undefined);
  await until('it is at the processor', async () => (await simulator.faultsLeft()).length === 0);
  await killWorkers(['tillway-api']);
  expect(await first).toBeUndefined();
  const again = await until('the form is taken', async () => {
    const reply = await pay(url, form).catch(() => undefined);
    return reply?.status === 303 && reply;
  });
  const [paymentId] = /pay_[0-9a-z]{26}/.exec(again.headers.get('location') ?? '') ?? [];
  await become(linkId, 'paid');
  const { data } = (await merchant.get(`/ipg/1.0.0/payment/payments?linkId=${linkId}`)).body;
  expect(data).toMatchObject([{ paymentId, amounts: { captured: '25.00' } }]);
  expect(await simulator.charges(paymentId!)).toMatchObject([{ captured: '25.00' }]);
  expect((await auditOf(place.stack)).findings).toEqual([]);
}, 120_000);
