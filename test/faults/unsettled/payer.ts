import { CAPTURED, challenge, type Overrides, Simulator, send, until } from '../../e2e/client';
import { place } from './place';

/** Payers who take their time, or never come back, and processors whose callbacks never arrive. */

const apm = { payerName: 'A Buyer', payerEmail: 'a@buyer.example', country: 'NL' };
const back = { returnUrl: 'https://shop.example/back' };

const KINDS: [string, string, string, Overrides][] = [
  ['redirect', '27', 'f', { apm, ...back }],
  ['voucher', '43', 'f', { apm }],
  ['redirect in Iberia', '27', 'b', { apm: { ...apm, country: 'PT' }, ...back }],
  ['UPI collect', '30', 'f', { currency: 'INR', upi: { vpa: 'buyer@bank' } }],
  ['UPI QR', '31', 'f', { currency: 'INR', upi: { flow: 'qr' } }],
  ['QR code', '60', 'f', {}],
  ['bank transfer', '61', 'b', {}],
  ['crypto', '63', 'h', { crypto: { asset: 'ETH' } }],
  ['hosted page of C', '64', 'c', back],
  ['hosted page of D', '65', 'd', back],
];

const pay = async (path: string, body: Overrides) =>
  (await place.actors.merchant.pay(undefined, body, { path })).body.data;

test.concurrent.each(KINDS)(
  '%s: a payer who never comes back lets the payment expire, here and at the processor',
  async (_title, path, processor, body) => {
    const { paymentId, action } = await pay(path, body);
    const expired = await place.actors.merchant.until(paymentId, 'expired');
    expect(expired).toMatchObject({ result: { code: 302 }, amounts: { captured: '0.00' } });
    const [charge] = await new Simulator(place.stack.credentials.simulatorUrl, processor).charges(paymentId);
    expect(charge.status).toBe('cancelled');
    // Money that is sent all the same arrives late, and goes back; everybody else finds the page closed.
    if (path === '61' || path === '63') return;
    expect((await send(action.fields?.pageUrl ?? action.url)).status).toBe(410);
  },
);

test.concurrent.each(KINDS)(
  'fault 13, %s: the callback never comes: found by asking',
  async (_title, path, processor, body) => {
    const simulator = new Simulator(place.stack.credentials.simulatorUrl, processor);
    const { paymentId, action } = await pay(path, body);
    await simulator.fault('callback', 'drop', { times: 10, reference: paymentId });
    await send(action.fields?.pageUrl ?? action.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'outcome=authenticated',
    });
    await place.actors.merchant.until(paymentId, ...CAPTURED);
    const { body: inbox } = await place.actors.ops.get(`/ops/1.0.0/callbacks?reference=${paymentId}`);
    expect(inbox.data).toEqual([]);
  },
);

test.concurrent('fault 13, direct debit: no callback comes: collected all the same, and known', async () => {
  const simulator = new Simulator(place.stack.credentials.simulatorUrl, 'e');
  const directDebit = {
    iban: 'DE89370400440532013000',
    accountHolder: 'A Buyer',
    signedAt: '2026-01-31T12:00:00.000Z',
  };
  const { paymentId } = await pay('62', { directDebit });
  await simulator.fault('callback', 'drop', { times: 10, reference: paymentId });
  await place.actors.merchant.until(paymentId, ...CAPTURED);
  const { body: inbox } = await place.actors.ops.get(`/ops/1.0.0/callbacks?reference=${paymentId}`);
  expect(inbox.data).toEqual([]);
});

test.concurrent.each(['status_429', 'status_400', 'close_before', 'status_500'])(
  'fault 23: the void at expiry meets %s: nothing ends while the page can still be paid',
  async (fault) => {
    const { merchant, simulator } = place.actors;
    const { paymentId, action } = (await merchant.pay('4000000000003220')).body.data;
    // After a 500 it is done: the next question finds that out.
    const times = fault === 'status_500' ? 1 : 3;
    await simulator.fault('capture', fault, { times, reference: paymentId });
    const isPayable = async () => (await send(action.url)).status !== 410;
    const ended = await until(`${paymentId} has ended`, async () => {
      const payable = await isPayable();
      const record = await merchant.status(paymentId);
      if (record.transactionStatus === 'requires_action') return undefined;
      return { record, payable: payable && (await isPayable()) };
    });
    expect(ended.record).toMatchObject({ transactionStatus: 'expired', amounts: { captured: '0.00' } });
    expect(ended.payable).toBe(false);
    expect(await simulator.charges(paymentId)).toMatchObject([{ status: 'cancelled' }]);
  },
);

describe.each(['c', 'g'])('a card with 3-D Secure at processor %s itself', (processor) => {
  const simulator = () => new Simulator(place.stack.credentials.simulatorUrl, processor);
  const currency = processor === 'c' ? 'JMD' : 'SRD';
  const challenged = async () => (await place.actors.merchant.pay('4000000000003220', { currency, ...back })).body.data;

  beforeAll(async () => {
    const rules = ['c', 'g'].map((one) => ({
      kinds: ['card'],
      currencies: [one === 'c' ? 'JMD' : 'SRD'],
      processors: [one],
    }));
    await send(`${place.stack.apiUrl}/routing/1.0.0/rules`, {
      method: 'PUT',
      headers: place.actors.tenantAdmin.headers,
      body: { rules },
    });
    await until(`routed to ${processor}`, async () => (await challenged()).processor === processor);
  });

  test.concurrent('a payer who never comes back: failed, and nothing is charged', async () => {
    const { paymentId } = await challenged();
    const ended = await place.actors.merchant.until(paymentId, 'expired', 'failed');
    expect(ended).toMatchObject({ result: { code: 301 }, amounts: { captured: '0.00' } });
    expect(await simulator().charges(paymentId)).toMatchObject([{ captured: '0.00' }]);
  });

  test.concurrent.each([
    ['authenticated', CAPTURED],
    ['failed', ['failed']],
  ] as const)('fault 13: the callback never comes: %s, found by asking', async (outcome, states) => {
    const { paymentId, action } = await challenged();
    await simulator().fault('callback', 'drop', { times: 10, reference: paymentId });
    await challenge(action.url, outcome);
    await place.actors.merchant.until(paymentId, ...states);
  });
});

test.concurrent('too little by the end of the time: expired, and the processor has it to give back', async () => {
  const { paymentId, action } = await pay('61', {});
  await send(action.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'outcome=underpaid',
  });
  const expired = await place.actors.merchant.until(paymentId, 'expired');
  expect(expired.amounts.captured).toBe('0.00');
});
