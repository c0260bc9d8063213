import type { ServerResponse } from 'node:http';
import { sharedStack } from '../setup/stack';
import { isGenuine, Receiver } from '../unit/edge/notifications/receiver';
import { type Actors, actorsOf, CARDS, challenge, type Json, type Merchant, transactionId, until } from './client';

const { credentials } = sharedStack();
let actors: Actors;
let merchant: Merchant;
let receiver: Receiver;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  merchant = actors.merchant;
  receiver = await new Receiver().listen();
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.behave = (_, response) => response.writeHead(204).end();
});

/** A path of the receiver that nobody else uses. */
const freshPath = () => `/${transactionId()}`;

/** Waits until as many notifications have come to a path, and answers them, oldest first. */
function heard(path: string, count: number, from = receiver): Promise<Json[]> {
  return until(`${count} notifications at ${path}`, async () => {
    const found = from.at(path);
    return found.length >= count && found;
  });
}

const typesOf = (notifications: Json[]) => notifications.map(({ type }) => type);

test('every change of a payment is told, signed, in order, with the record as it then was', async () => {
  const path = freshPath();
  const { body } = await merchant.pay(CARDS.challenge, { notificationUrl: receiver.url(path) });
  const { paymentId, action } = body.data;
  await challenge(action.url, 'authenticated');
  const told = await heard(path, 3);
  expect(typesOf(told)).toEqual(['payment.requires_action', 'payment.captured', 'payment.settled']);
  expect(told.map(({ data }) => data.transactionStatus)).toEqual(['requires_action', 'captured', 'settled']);
  for (const { id, createdAt, data } of told) {
    expect(id).toMatch(/^ntf_/);
    expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(data).toMatchObject({ paymentId, timestamp: createdAt, amount: '10.00' });
  }
  for (const request of receiver.received.filter((got) => got.path === path)) {
    expect(isGenuine(request, credentials.callbackSecret)).toBe(true);
    expect(isGenuine({ ...request, body: `${request.body} ` }, credentials.callbackSecret)).toBe(false);
  }
});

test('a notification that is refused is sent again under the same id, and holds up those that follow it', async () => {
  const path = freshPath();
  let refusals = 1;
  receiver.behave = (request, response) => {
    const refuse = request.path === path && refusals-- > 0;
    response.writeHead(refuse ? 503 : 200).end();
  };
  await merchant.paid(CARDS.visa, { notificationUrl: receiver.url(path) });
  const [first, again, next] = await heard(path, 3);
  expect([first.type, again.type, next.type]).toEqual(['payment.captured', 'payment.captured', 'payment.settled']);
  expect(again.id).toBe(first.id);
  const [one, two] = receiver.received.filter((got) => got.path === path);
  expect(isGenuine(two!, credentials.callbackSecret)).toBe(true);
  expect(two!.headers['webhook-signature']).not.toBe(one!.headers['webhook-signature']);
});

test('an endpoint that is down or slow holds up no other', async () => {
  const slow = await new Receiver().listen();
  const gone = await new Receiver().listen();
  const goneUrl = gone.url('/gone');
  await gone.close();
  const unanswered: ServerResponse[] = [];
  slow.behave = (_, response) => void unanswered.push(response);
  for (const notificationUrl of [goneUrl, slow.url('/slow'), goneUrl, slow.url('/slow')])
    await merchant.paid(CARDS.visa, { notificationUrl });
  const path = freshPath();
  await merchant.paid(CARDS.visa, { notificationUrl: receiver.url(path) });
  await heard(path, 1);
  // The slow one still has time to answer.
  await until('the slow one is asked', async () => unanswered.length > 0);
  expect(unanswered[0]!.destroyed).toBe(false);
  await slow.close();
});

test('a refund tells of itself, done or declined', async () => {
  const path = freshPath();
  const { paymentId } = await merchant.paid(CARDS.visa, { notificationUrl: receiver.url(path) });
  await merchant.refund(paymentId, { amount: '4.00' });
  await merchant.refund(paymentId, { amount: '1.00' });
  await merchant.refund(paymentId);
  const told = (await heard(path, 4)).filter(({ data }) => data.refund);
  expect(told.map(({ type, data }) => [type, data.refund.status, data.refund.amount, data.amounts.refunded])).toEqual([
    ['payment.partially_refunded', 'succeeded', '4.00', '4.00'],
    ['payment.partially_refunded', 'succeeded', '1.00', '5.00'],
    ['payment.refunded', 'succeeded', '5.00', '10.00'],
  ]);
  const refused = freshPath();
  const payment = await merchant.paid(CARDS.refundDeclined, { notificationUrl: receiver.url(refused) });
  await merchant.refund(payment.paymentId);
  const declined = await until('declined', async () =>
    receiver.at(refused).find(({ type }) => type === 'refund.declined'),
  );
  expect(declined.data).toMatchObject({
    refund: { status: 'declined', result: { code: 121 } },
    amounts: { refunded: '0.00' },
  });
});

test.each(['http://user:secret@127.0.0.1/', 'http://1.2.3.256/', 'http://127.0.0.1:0/'])(
  'a payment whose notificationUrl can never work is refused: %s',
  async (notificationUrl) => {
    const { status, body } = await merchant.pay(CARDS.visa, { notificationUrl });
    expect([status, body.details?.[0]?.field]).toEqual([400, 'notificationUrl']);
    expect(JSON.stringify(body)).not.toContain('secret');
  },
);

const NOTIFICATIONS = '/ipg/1.0.0/payment/notifications';
const EVENTS = '/ipg/1.0.0/payment/events';

/** The notifications of a payment as the API lists them, newest first. */
async function listed(paymentId: string): Promise<Json[]> {
  return (await merchant.get(`${NOTIFICATIONS}?paymentId=${paymentId}`)).body.data;
}

/** A captured and settled payment whose notifications have all come. */
async function told(path: string): Promise<string> {
  const { paymentId } = await merchant.paid(CARDS.visa, { notificationUrl: receiver.url(path) });
  await until('all delivered', async () => {
    const found = await listed(paymentId);
    return found.length === 2 && found.every(({ state }) => state === 'delivered');
  });
  return paymentId;
}

test('each is listed with its attempts, and filtered', async () => {
  const path = freshPath();
  let first = true;
  receiver.behave = (request, response) => {
    const refuse = request.path === path && first;
    if (request.path === path) first = false;
    response.writeHead(refuse ? 500 : 200).end('an answer that nobody repeats');
  };
  const paymentId = await told(path);
  const [settled, captured] = await listed(paymentId);
  expect([settled.type, captured.type]).toEqual(['payment.settled', 'payment.captured']);
  expect(captured.attempts).toMatchObject([{ status: 500, error: 'the answer is not a success' }, { status: 200 }]);
  expect(captured.attempts[1]).not.toHaveProperty('error');
  expect(settled).toMatchObject({ paymentId, state: 'delivered', url: receiver.url(path) });
  expect(JSON.stringify([settled, captured])).not.toContain('nobody repeats');
  const one = await merchant.get(`${NOTIFICATIONS}/${captured.notificationId}`);
  expect(one.body.body).toEqual(receiver.at(path)[0]);
  const some = async (query: string) =>
    (await merchant.get(`${NOTIFICATIONS}?paymentId=${paymentId}&${query}`)).body.data.map(({ type }: Json) => type);
  expect(await some('type=payment.captured')).toEqual(['payment.captured']);
  expect(await some('state=failed')).toEqual([]);
  expect(await some(`from=${settled.createdAt}`)).toEqual(['payment.settled']);
  expect(await some(`to=${settled.createdAt}`)).toEqual(['payment.captured']);
  const page = (await merchant.get(`${NOTIFICATIONS}?paymentId=${paymentId}&limit=1`)).body;
  expect(page.data).toHaveLength(1);
  const next = await merchant.get(`${NOTIFICATIONS}?paymentId=${paymentId}&limit=1&cursor=${page.nextCursor}`);
  expect([next.body.data[0].type, next.body.nextCursor]).toEqual(['payment.captured', null]);
});

test('one is sent again by hand, though it was delivered, under its own id', async () => {
  const path = freshPath();
  const paymentId = await told(path);
  const [, captured] = await listed(paymentId);
  const reply = await merchant.post(`${NOTIFICATIONS}/${captured.notificationId}/resend`);
  expect(reply.status).toBe(202);
  const all = await heard(path, 3);
  expect(all[2]).toEqual(all[0]);
  await until('noted', async () => (await listed(paymentId))[1].attempts.length === 2);
});

test('a time window is sent again, in order', async () => {
  const path = freshPath();
  const paymentId = await told(path);
  const [settled, captured] = await listed(paymentId);
  const to = new Date(Date.parse(settled.createdAt) + 1).toISOString();
  const refused = await merchant.post(`${NOTIFICATIONS}/resend`, { from: to, to: captured.createdAt });
  expect([refused.status, refused.body.details[0].field]).toEqual([400, 'to']);
  const none = await merchant.post(`${NOTIFICATIONS}/resend`, { from: captured.createdAt, to, state: 'failed' });
  expect([none.status, none.body]).toEqual([202, { count: 0 }]);
  const { status, body } = await merchant.post(`${NOTIFICATIONS}/resend`, { from: captured.createdAt, to });
  expect(status).toBe(202);
  expect(body.count).toBeGreaterThanOrEqual(2);
  expect(typesOf(await heard(path, 4)).slice(2)).toEqual(['payment.captured', 'payment.settled']);
});

test('a redirect to a private address is a failed attempt, and nothing arrives there', async () => {
  const inner = await new Receiver().listen();
  const path = freshPath();
  receiver.behave = (_, response) => response.writeHead(307, { location: inner.url('/metadata') }).end();
  const { paymentId } = await merchant.paid(CARDS.declined, { notificationUrl: receiver.url(path) }, ['failed']);
  const attempt = await until('tried', async () => (await listed(paymentId))[0]?.attempts[0]);
  expect(attempt).toMatchObject({ status: 307, error: 'redirects are not followed' });
  expect(inner.received).toEqual([]);
  await inner.close();
});

test('a test ping is signed, sent at once, once, and answers its attempt', async () => {
  const path = freshPath();
  const { status, body } = await merchant.post(`${NOTIFICATIONS}/test`, { url: receiver.url(path) });
  expect(status).toBe(200);
  expect(body).toMatchObject({ type: 'test.ping', state: 'delivered', attempts: [{ status: 204 }] });
  expect(receiver.at(path)).toEqual([body.body]);
  expect(isGenuine(receiver.received.at(-1)!, credentials.callbackSecret)).toBe(true);
  receiver.behave = (_, response) => response.writeHead(418).end();
  const failed = await merchant.post(`${NOTIFICATIONS}/test`, { url: receiver.url(path) });
  expect(failed.body).toMatchObject({ state: 'failed', attempts: [{ status: 418, error: expect.any(String) }] });
  expect(failed.body).not.toHaveProperty('nextAttemptAt');
  expect((await merchant.post(`${NOTIFICATIONS}/test`, { url: 'ftp://127.0.0.1/' })).status).toBe(400);
  expect((await merchant.post(`${NOTIFICATIONS}/test`, { url: receiver.url(path), terminalId: 'x' })).status).toBe(400);
});

test('another merchant sees none of it', async () => {
  const path = freshPath();
  const paymentId = await told(path);
  const [{ notificationId }] = await listed(paymentId);
  const { merchant: other } = await actorsOf(credentials, credentials.other);
  expect((await other.get(`${NOTIFICATIONS}?paymentId=${paymentId}`)).body.data).toEqual([]);
  expect((await other.get(`${NOTIFICATIONS}/${notificationId}`)).status).toBe(404);
  expect((await other.post(`${NOTIFICATIONS}/${notificationId}/resend`)).status).toBe(404);
  const window = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
  expect((await other.post(`${NOTIFICATIONS}/resend`, window)).body).toEqual({ count: 0 });
  expect(receiver.at(path)).toHaveLength(2);
});

test('events are followed by asking, with or without a notificationUrl', async () => {
  let { nextCursor } = (await merchant.get(`${EVENTS}?after=latest`)).body;
  const { paymentId } = await merchant.paid(CARDS.chargedBack);
  const seen: Json[] = [];
  await until('charged back', async () => {
    const { body } = await merchant.get(`${EVENTS}?after=${nextCursor}&limit=200`);
    nextCursor = body.nextCursor;
    seen.push(...body.data.filter(({ data }: Json) => data.paymentId === paymentId));
    return seen.some(({ type }) => type === 'dispute.opened');
  });
  expect(typesOf(seen).sort()).toEqual([
    'dispute.opened',
    'payment.captured',
    'payment.charged_back',
    'payment.settled',
  ]);
  expect(seen[0]).toMatchObject({ type: 'payment.captured', data: { transactionStatus: 'captured' } });
  expect(seen.find(({ type }) => type === 'dispute.opened').data.dispute).toMatchObject({ status: 'open' });
  expect((await merchant.get(`${EVENTS}?after=nonsense`)).status).toBe(400);
  const first = (await merchant.get(`${EVENTS}?limit=1`)).body;
  expect(first.data).toHaveLength(1);
});
