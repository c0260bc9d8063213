import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../setup/project';
import { sharedStack } from '../setup/stack';
import {
  type Actors,
  actorsOf,
  CAPTURED,
  CARDS,
  challenge,
  type Json,
  type Merchant,
  outOfBalance,
  PAYMENTS,
  type Reply,
  Simulator,
  send,
  until,
} from './client';
import { type Paid, RECEIVERS, type Receiver, type Said, type Word, type Written } from './receivers';
import { ownTenant } from './tenants';

const { credentials, apiUrl } = sharedStack();
const AT_ONCE = 20;
const OF_DISPUTES_AND_REFUNDS = ['processor_a-chargeback', 'processor_a-refund'];
const TEST_RECEIVERS = ['test/json', 'test/form', 'test/text'];
let actors: Actors;
let merchant: Merchant;
/** As device wallets name it. */
let merchantId: string;

beforeAll(async () => {
  // Its rules are all that the tenant has: another suite's would replace them.
  const own = await ownTenant();
  actors = await actorsOf(credentials, own);
  merchantId = own.organizationId;
  merchant = actors.merchant;
  const rules = [
    { currencies: ['BBD'], processors: ['c'] },
    { currencies: ['XCD'], processors: ['g'] },
  ];
  const { headers } = actors.tenantAdmin;
  const put = await send(`${apiUrl}/routing/1.0.0/rules`, { method: 'PUT', headers, body: { rules } });
  expect(put.status).toBe(200);
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

const simulatorOf = ({ processor }: Pick<Receiver, 'processor'>) => new Simulator(credentials.simulatorUrl, processor);

/** Orders a payment; answers its transaction id, and the answer that will come. */
async function order({ path, card, wallet, body, ...money }: Paid): Promise<{ id: string; answer: Promise<Reply> }> {
  const number = wallet ? undefined : card;
  const walletToken = wallet ? await walletTokenOf(card) : undefined;
  const whole = merchant.order(number, { ...money, ...body, walletToken });
  const answer = merchant.post(`/payments/h2h/${path}`, whole);
  return { id: `${whole.merchantTransactionId}`, answer };
}

async function walletTokenOf(number: string | undefined): Promise<Json> {
  const card = { number, expiryMonth: '12', expiryYear: '2030' };
  const { status, body } = await send(`${credentials.simulatorUrl}/sim/wallets/first/tokens`, {
    method: 'POST',
    body: { card, amount: '10.00', currency: 'EUR', merchantId },
  });
  expect(status).toBe(201);
  return body;
}

/** A payment that waits: for its payer, for a capture, for a collection. */
async function waiting({ waiting: paid }: Receiver): Promise<Json> {
  const { body } = await (await order(paid)).answer;
  expect(['requires_action', 'authorized', 'pending']).toContain(body.data?.transactionStatus);
  return body.data;
}

function said(payment: Json): Said {
  const { paymentId, amount, currency, action } = payment;
  const challengeId = action?.url?.split('/').at(-1) ?? '';
  return { eventId: `evt-${randomUUID()}`, reference: paymentId, amount, currency, challengeId };
}

function deliver(
  { name, method }: Pick<Receiver, 'name' | 'method'>,
  { query, headers, body }: Written,
): Promise<Reply> {
  return send(`${apiUrl}/callbacks/${name}${query ? `?${query}` : ''}`, { method, headers, body });
}

/** Writes and signs a callback as the processor would. */
function written(receiver: Receiver, word: Word, about: Said): Written {
  const secret = credentials.processorSecrets[receiver.processor];
  return receiver.seal(receiver.content(word, about, secret), secret);
}

async function inboxOf(reference: string): Promise<Json[]> {
  return (await actors.ops.get(`/ops/1.0.0/callbacks?reference=${reference}`)).body.data;
}

/** What a receiver stored, once it has been dealt with. */
function dealtWith(receiver: string, reference: string): Promise<Json[]> {
  return until(`what came to ${receiver} about ${reference} is dealt with`, async () => {
    const rows = (await inboxOf(reference)).filter((row) => row.receiver === receiver);
    return rows.length > 0 && rows.every(({ state }) => state !== 'stored') && rows;
  });
}

const movesTo = async (paymentId: string, state: string) =>
  (await merchant.events(paymentId)).filter(({ from, to }) => to === state && from !== state);

/** What has to be true at the processor is made true there first; its own callback about it gets lost. */
async function makeTrue(receiver: Receiver, { paymentId, action }: Json): Promise<void> {
  if (!receiver.confirmed) return;
  await simulatorOf(receiver).fault('callback', 'drop', { reference: paymentId });
  expect([200, 303]).toContain((await challenge(action.url, 'failed')).status);
}

describe.each(RECEIVERS)('$method $name', (receiver) => {
  test('right: applied, once, however often it comes', async () => {
    const payment = await waiting(receiver);
    await makeTrue(receiver, payment);
    const callback = written(receiver, 'ended', said(payment));
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => deliver(receiver, callback)));
    expect(answers.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(200));
    expect(answers.filter(({ body }) => body.duplicate === false)).toHaveLength(1);
    const { transactionStatus } = receiver.ended;
    expect(await merchant.until(payment.paymentId, transactionStatus)).toMatchObject(receiver.ended);
    expect(await dealtWith(receiver.name, payment.paymentId)).toMatchObject([{ state: 'applied' }]);
    const again = await deliver(receiver, callback);
    expect([again.status, again.body]).toEqual([200, { received: true, duplicate: true }]);
    expect(await movesTo(payment.paymentId, transactionStatus)).toHaveLength(1);
    expect((await merchant.status(payment.paymentId)).amounts.captured).toMatch(/^0/);
  });

  test('wrong method: 405', async () => {
    const payment = await waiting(receiver);
    const { query, headers, body } = written(receiver, 'ended', said(payment));
    const method = receiver.method === 'GET' ? 'POST' : 'GET';
    const content = method === 'POST' ? (body ?? query) : undefined;
    const url = `${apiUrl}/callbacks/${receiver.name}${query ? `?${query}` : ''}`;
    const answer = await send(url, { method, headers, body: content });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, receiver.method]);
    expect(await inboxOf(payment.paymentId)).toEqual([]);
  });

  test('forged, altered, unsigned: it changes nothing', async () => {
    const payment = await waiting(receiver);
    const content = receiver.content('captured', said(payment), credentials.processorSecrets[receiver.processor]);
    const right = written(receiver, 'captured', said(payment));
    const forgeries: Written[] = [
      receiver.seal(content, receiver.makeSecret()),
      { ...right, ...(right.body ? { body: `x=1&${right.body}` } : { query: `x=1&${right.query}` }) },
      { headers: {}, ...(right.body ? { body: content } : { query: content }) },
      { headers: {}, ...(right.body ? { body: '' } : { query: '' }) },
    ];
    const statuses = await Promise.all(forgeries.map(async (one) => (await deliver(receiver, one)).status));
    if (receiver.unsigned) {
      expect(statuses).toEqual([200, 200, 200, 400]);
      const rows = await dealtWith(receiver.name, payment.paymentId);
      expect(rows.map(({ state }) => state)).not.toContain('applied');
    } else {
      expect(statuses).toEqual([401, 401, 401, 401]);
      expect(await inboxOf(payment.paymentId)).toEqual([]);
    }
    const after = await merchant.status(payment.paymentId);
    expect([after.transactionStatus, after.amounts]).toEqual([payment.transactionStatus, payment.amounts]);
  });

  test('rightly signed, but unreadable: 400', async () => {
    const secret = credentials.processorSecrets[receiver.processor];
    const { status, body } = await deliver(receiver, receiver.seal('nothing=of-the-kind', secret));
    expect([status, body.code]).toEqual([400, 'malformed_callback']);
  });

  test('early, before the flow waits for it: applied as soon as it does', async () => {
    const payment = await submitted(receiver.silent);
    expect((await deliver(receiver, written(receiver, 'captured', said(payment)))).status).toBe(200);
    await merchant.until(payment.paymentId, ...CAPTURED);
    expect(await movesTo(payment.paymentId, 'captured')).toHaveLength(1);
    await dealtWith(receiver.name, payment.paymentId);
    expect((await merchant.status(payment.paymentId)).amounts.captured).toBe(payment.amount);
    expect(await simulatorOf(receiver).charges(payment.paymentId)).toMatchObject([{ captured: payment.amount }]);
  });
});

/** A payment that has just been charged by a processor that never answers: its flow still waits for that answer. */
async function submitted(paid: Paid): Promise<Json> {
  const { id, answer } = await order(paid);
  answer.catch(() => undefined);
  const payment = await until(`${id} is accepted`, async () => {
    const { body } = await merchant.post(`${PAYMENTS}/status-by-transaction-id`, { transactionId: id });
    return body.data;
  });
  expect(payment.transactionStatus).toBe('initiated');
  return payment;
}

/** Callbacks of processor A about something else than the payment itself. */
function signedByA(name: string, fields: Json): [Pick<Receiver, 'name' | 'method'>, Written, Written] {
  const { seal, makeSecret } = RECEIVERS.find((one) => one.name === 'processor_a')!;
  const body = JSON.stringify(fields);
  return [{ name, method: 'POST' }, seal(body, credentials.processorSecrets.a), seal(body, makeSecret())];
}

async function toldManyTimes(receiver: Pick<Receiver, 'name' | 'method'>, callback: Written): Promise<void> {
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => deliver(receiver, callback)));
  expect(answers.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(200));
  expect(answers.filter(({ body }) => body.duplicate === false)).toHaveLength(1);
}

describe('POST processor_a-chargeback', () => {
  const about = ({ paymentId, amount, currency }: Json) =>
    signedByA('processor_a-chargeback', {
      eventId: `evt-${randomUUID()}`,
      status: 'CHARGEBACK',
      reference: paymentId,
      caseId: `case-${randomUUID()}`,
      reason: 'GOODS_NOT_RECEIVED',
      amount,
      currency,
    });

  test('right: booked, once, however often it comes', async () => {
    const payment = await merchant.paid(CARDS.visa);
    const [receiver, right] = about(payment);
    await toldManyTimes(receiver, right);
    const { amounts } = await merchant.until(payment.paymentId, 'charged_back');
    expect(amounts).toMatchObject({ captured: '10.00', chargedBack: '10.00' });
    expect(await movesTo(payment.paymentId, 'charged_back')).toHaveLength(1);
  });

  test('forged: 401; wrong method: 405; unreadable: 400', async () => {
    const payment = await merchant.paid(CARDS.visa);
    const [receiver, right, forged] = about(payment);
    expect((await deliver(receiver, forged)).status).toBe(401);
    const wrong = await send(`${apiUrl}/callbacks/${receiver.name}`, { headers: right.headers });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    const [, unreadable] = signedByA(receiver.name, {});
    expect((await deliver(receiver, unreadable)).status).toBe(400);
    expect(await inboxOf(payment.paymentId)).toEqual([]);
  });

  test('early, before the capture is known: booked as soon as it is', async () => {
    const payment = await submitted({ path: '1', card: CARDS.neverAnswers });
    const [receiver, right] = about(payment);
    expect((await deliver(receiver, right)).status).toBe(200);
    const { amounts } = await merchant.until(payment.paymentId, 'charged_back');
    expect(amounts).toMatchObject({ captured: '10.00', chargedBack: '10.00' });
  });
});

describe('POST processor_a-refund', () => {
  const about = ({ refundId, amount, currency }: Json, status = 'REFUND_FAILED') =>
    signedByA('processor_a-refund', { eventId: `evt-${randomUUID()}`, status, reference: refundId, amount, currency });
  const ended = (paymentId: string, status: string) =>
    until(`the refund of ${paymentId} is ${status}`, async () => {
      const [refund] = await merchant.refunds(paymentId);
      return refund?.status === status && refund;
    });

  test('right: applied, once, however often it comes', async () => {
    const { paymentId } = await merchant.paid(CARDS.refundDeclined);
    const { refund } = (await merchant.refund(paymentId)).body.data;
    const [receiver, right] = about(refund);
    await toldManyTimes(receiver, right);
    await ended(paymentId, 'declined');
    const rows = (await dealtWith(receiver.name, refund.refundId)).filter(({ state }) => state === 'applied');
    expect(rows).toHaveLength(1);
    expect(await merchant.status(paymentId)).toMatchObject({ amounts: { captured: '10.00', refunded: '0.00' } });
  });

  test('forged: 401; wrong method: 405; unreadable: 400', async () => {
    const { paymentId } = await merchant.paid(CARDS.refundDeclined);
    const { refund } = (await merchant.refund(paymentId)).body.data;
    const [receiver, , forged] = about(refund, 'REFUNDED');
    expect((await deliver(receiver, forged)).status).toBe(401);
    expect((await send(`${apiUrl}/callbacks/${receiver.name}`)).status).toBe(405);
    const [, unreadable] = signedByA(receiver.name, { status: 'REFUNDED' });
    expect((await deliver(receiver, unreadable)).status).toBe(400);
    await ended(paymentId, 'declined');
  });

  test('early, before the answer to the refund request: applied as soon as its flow waits', async () => {
    const { paymentId } = await merchant.paid(CARDS.visa);
    await simulatorOf({ processor: 'a' }).fault('refund', 'delay', { reference: paymentId, delayMs: 2_000 });
    const asked = merchant.refund(paymentId);
    const refund = await until('the refund is accepted', async () => (await merchant.refunds(paymentId))[0]);
    const [receiver, right] = about(refund, 'REFUNDED');
    expect((await deliver(receiver, right)).status).toBe(200);
    expect([201, 202]).toContain((await asked).status);
    expect((await merchant.until(paymentId, 'refunded')).amounts.refunded).toBe('10.00');
    await dealtWith(receiver.name, refund.refundId);
  });
});

describe('the test receivers', () => {
  test.each([
    ['POST', 'json', '{"a":1}', 200],
    ['POST', 'json', '{', 400],
    ['POST', 'form', 'a=1&b=2', 200],
    ['GET', 'text?a=1', undefined, 200],
    ['GET', 'json', undefined, 405],
    ['GET', 'form', undefined, 405],
    ['POST', 'text', 'x', 405],
  ])('%s %s %j: %d, as often as it comes', async (method, form, body, expected) => {
    const url = `${apiUrl}/callbacks/test/${form}`;
    const answers = await Promise.all([1, 2, 3].map(() => send(url, { method, body })));
    expect(answers.map(({ status }) => status)).toEqual([expected, expected, expected]);
  });

  test('change nothing, whatever they are told', async () => {
    const { paymentId } = await merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']);
    const fields = { eventId: `evt-${randomUUID()}`, status: 'CAPTURED', reference: paymentId };
    const query = `${new URLSearchParams(fields)}`;
    await send(`${apiUrl}/callbacks/test/json`, { method: 'POST', body: fields });
    await send(`${apiUrl}/callbacks/test/form`, { method: 'POST', body: query });
    await send(`${apiUrl}/callbacks/test/text?${query}`);
    expect(await inboxOf(paymentId)).toEqual([]);
    expect((await merchant.status(paymentId)).transactionStatus).toBe('authorized');
  });
});

test('every receiver is tried here, and explained in docs/callbacks.md', async () => {
  const { body: document } = await send(`${apiUrl}/openapi.json`);
  const served = Object.entries<Json>(document.paths)
    .filter(([path]) => path.startsWith('/callbacks/'))
    .map(([path, operations]) => `${Object.keys(operations)[0]?.toUpperCase()} ${path}`);
  const tried = [...RECEIVERS.map(({ name }) => name), ...OF_DISPUTES_AND_REFUNDS, ...TEST_RECEIVERS];
  expect(tried).toHaveLength(17);
  expect(served.map((line) => line.replace(/^\w+ \/callbacks\//, '')).sort()).toEqual([...tried].sort());
  const guide = readFileSync(join(projectRoot, 'docs/callbacks.md'), 'utf8');
  for (const line of served) expect(guide).toContain(`\`${line}\``);
});
