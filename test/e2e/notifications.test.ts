import { isGenuine, Receiver } from '../notifications/receiver';
import { sharedStack } from '../setup/stack';
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
  slow.behave = () => undefined;
  for (const notificationUrl of [goneUrl, slow.url('/slow'), goneUrl, slow.url('/slow')])
    await merchant.paid(CARDS.visa, { notificationUrl });
  const path = freshPath();
  await merchant.paid(CARDS.visa, { notificationUrl: receiver.url(path) });
  const beganAt = Date.now();
  await heard(path, 1);
  // Far below the time that the slow one is given.
  expect(Date.now() - beganAt).toBeLessThan(5_000);
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
