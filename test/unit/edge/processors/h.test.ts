import { createHmac } from 'node:crypto';
import { bech32 } from '@scure/base';
import type { RawCallback } from '../../../../src/domain/connector';
import { RESULT } from '../../../../src/domain/result-codes';
import { apiKeyFor } from '../../../../src/edge/processors/credentials';
import { createConnectorH } from '../../../../src/edge/processors/h';
import { describeConnector } from './contract';
import { Bench, pause } from './contract/bench';
import { MEANS } from './contract/means';
import type { ConnectorSpec } from './contract/spec';

const SECRET = 'secret of processor h';
const EUR = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });
const euro = (amount: string) => ({ amount, currency: 'EUR' });

const base = { id: 'ph_1', merchant_ref: 'pay_1', price: euro('10.00') };
const invoice = (members: object) => JSON.stringify({ invoice: { ...base, ...members } });
const returned = (members: object) =>
  JSON.stringify({ return: { id: 'rh_1', merchant_ref: 'ref_1', amount: euro('4.00'), ...members } });
const quote = {
  asset: 'BTC',
  asset_amount: '0.00017242',
  rate: '58000.0000',
  address: 'tb1q1',
  uri: 'bitcoin:tb1q1?amount=0.00017242',
  page: 'https://h.example/p',
  valid_until: '2030-01-01T00:00:00.000Z',
};
const open = (members: object) => invoice({ status: 'open', quote: { ...quote, ...members } });

const signed =
  (body: string, ageS = 0) =>
  (secret: string): RawCallback => {
    const timestamp = `${Math.floor(Date.now() / 1_000) - ageS}`;
    return {
      method: 'POST',
      path: '/callbacks/processor_h',
      query: '',
      headers: {
        'x-timestamp': timestamp,
        'x-signature': createHmac('sha512', secret).update(`${timestamp}.${body}`).digest('base64'),
      },
      body: Buffer.from(body),
    };
  };
const written = (topic: string, about: object, more: object = {}) =>
  signed(JSON.stringify({ topic, event_id: 'evt_1', about, ...more }));

const callback = (topic: string, type: string, more: object = {}) => ({
  title: topic,
  receiver: 'processor_h',
  raw: written(topic, { id: 'ph_1', merchant_ref: 'pay_1', amount: euro('10.00'), ...more }),
  means: { eventId: 'evt_1', reference: 'pay_1', type: type as 'captured', processorStatus: topic, money: EUR(1_000n) },
});
const malformed = (title: string, body: string) => ({ title, receiver: 'processor_h', raw: signed(body) });

const SPEC: ConnectorSpec = {
  processor: 'h',
  secret: SECRET,
  feeMinor: 10n,
  create: (options) => createConnectorH({ ...options, apiKey: apiKeyFor(SECRET) }),
  paymentAnswers: [
    ...['confirmed', 'paid_out', 'partly_returned', 'returned', 'clawed_back'].map((status) => ({
      title: status,
      body: invoice({ status, credited: euro('10.00') }),
      means: { kind: 'captured' as const, money: EUR(1_000n), detail: undefined },
    })),
    {
      title: 'an excess that is returned',
      body: invoice({ status: 'confirmed', credited: euro('10.00'), received: euro('12.50') }),
      means: { kind: 'captured', money: EUR(1_000n), detail: expect.stringContaining('2.50 EUR') },
    },
    {
      title: 'open',
      body: open({}),
      means: {
        kind: 'payer_action',
        detail: 'Waiting for the payer to send 0.00017242 BTC.',
        action: {
          type: 'instructions',
          url: quote.page,
          expiresAt: quote.valid_until,
          fields: {
            asset: 'BTC',
            assetAmount: '0.00017242',
            address: 'tb1q1',
            rate: '58000.0000',
            uri: quote.uri,
            amount: '10.00',
            currency: 'EUR',
          },
        },
      },
    },
    {
      title: 'underpaid',
      body: invoice({ status: 'underpaid', received: euro('3.50'), quote }),
      means: { kind: 'payer_action', detail: '3.50 EUR of 10.00 EUR has arrived; waiting for the rest.' },
    },
    {
      title: 'confirming',
      body: invoice({
        status: 'confirming',
        confirmations: { seen: 1, needed: 2, expected_by: '2030-01-01T00:00:00.000Z' },
      }),
      means: {
        kind: 'pending',
        detail: 'The payment has 1 of 2 confirmations.',
        expectedBy: '2030-01-01T00:00:00.000Z',
      },
    },
    {
      title: 'confirming, by how many nobody knows',
      body: invoice({ status: 'confirming', confirmations: { seen: -1, needed: 'two' } }),
      means: { kind: 'pending', expectedBy: undefined },
    },
    ...(
      [
        ['declined', RESULT.declined],
        ['no_funds', RESULT.insufficientFunds],
        ['limit', RESULT.limitExceeded],
        ['screening', RESULT.blockedByRiskRule],
        ['payer', RESULT.declined],
        ['constructor', RESULT.declined],
      ] as const
    ).map(([reason, code]) => ({
      title: `rejected for ${reason}`,
      body: invoice({ status: 'rejected', reason }),
      means: { kind: 'declined' as const, code },
    })),
    ...['closed', 'expired'].map((status) => ({
      title: status,
      body: invoice({ status }),
      means: { kind: 'voided' as const },
    })),
    ...['accepted', 'CONFIRMED', 'constructor', '__proto__', 'toString'].map((status) => ({
      title: `the unknown status ${status}`,
      body: invoice({ status, credited: euro('10.00') }),
      means: { kind: 'pending' as const },
    })),
    {
      title: 'a refused operation, with the invoice',
      status: 409,
      body: invoice({ status: 'closed' }),
      means: { kind: 'voided' },
    },
    { title: 'confirmed without an amount', body: invoice({ status: 'confirmed' }), means: { kind: 'unknown' } },
    { title: 'open without a quote', body: invoice({ status: 'open' }), means: { kind: 'unknown' } },
    { title: 'an asset of another name', body: open({ asset: 'toString' }), means: { kind: 'unknown' } },
    {
      title: 'more decimals than the asset has',
      body: open({ asset_amount: '0.000172421' }),
      means: { kind: 'unknown' },
    },
    { title: 'an asset amount with an exponent', body: open({ asset_amount: '1e-4' }), means: { kind: 'unknown' } },
    { title: 'a link to another address', body: open({ uri: 'bitcoin:tb1q2?amount=1' }), means: { kind: 'unknown' } },
    { title: 'a link of another asset', body: open({ uri: 'ethereum:tb1q1' }), means: { kind: 'unknown' } },
    { title: 'a page that is a script', body: open({ page: 'javascript:alert(1)' }), means: { kind: 'unknown' } },
    { title: 'a quote without an end', body: open({ valid_until: 'soon' }), means: { kind: 'unknown' } },
    {
      title: 'another invoice',
      body: invoice({ status: 'closed', merchant_ref: 'pay_2' }),
      means: { kind: 'unknown' },
    },
    {
      title: 'a price that is a number',
      body: invoice({ status: 'closed', price: { amount: 10, currency: 'EUR' } }),
      means: { kind: 'unknown' },
    },
    { title: 'nothing found', status: 404, body: '{}', means: { kind: 'not_found' } },
    { title: 'a wrong key', status: 401, body: '{}', means: { kind: 'unknown' } },
  ],
  refundAnswers: [
    { title: 'sent', body: returned({ status: 'sent' }), means: { kind: 'refunded', money: EUR(400n) } },
    { title: 'refused', body: returned({ status: 'refused' }), means: { kind: 'refund_declined' } },
    { title: 'queued', body: returned({ status: 'queued' }), means: { kind: 'pending' } },
    { title: 'the unknown word constructor', body: returned({ status: 'constructor' }), means: { kind: 'pending' } },
    {
      title: 'another return',
      body: returned({ status: 'sent', merchant_ref: 'ref_2' }),
      means: { kind: 'unknown' },
    },
    { title: 'nothing found', status: 404, body: '{}', means: { kind: 'not_found' } },
  ],
  callbacks: [
    callback('invoice/accepted', 'authorized'),
    callback('invoice/confirmed', 'captured'),
    callback('invoice/paid_out', 'settled'),
    callback('invoice/closed', 'voided'),
    callback('invoice/expired', 'voided'),
    callback('invoice/incoming', 'transfer_received'),
    callback('return/sent', 'refunded'),
    callback('return/refused', 'refund_declined'),
    callback('clawback/opened', 'charged_back', { case: 'case_1' }),
    callback('clawback/contested', 'second_presentment', { case: 'case_1' }),
    callback('clawback/won', 'chargeback_won', { case: 'case_1' }),
    callback('clawback/lost', 'chargeback_lost', { case: 'case_1' }),
    callback('invoice/screened', 'pending'),
    callback('constructor', 'pending'),
    {
      title: 'invoice/confirming',
      receiver: 'processor_h',
      raw: written('invoice/confirming', { merchant_ref: 'pay_1', confirmations: { seen: 1, needed: 2 } }),
      means: { type: 'processing', reason: 'The payment has 1 of 2 confirmations.' },
    },
    {
      title: 'invoice/confirmed, overpaid',
      receiver: 'processor_h',
      raw: written('invoice/confirmed', { merchant_ref: 'pay_1', amount: euro('10.00'), received: euro('11.00') }),
      means: { type: 'captured', money: EUR(1_000n), detail: expect.stringContaining('excess of 1.00 EUR') },
    },
    {
      title: 'invoice/rejected',
      receiver: 'processor_h',
      raw: written('invoice/rejected', { merchant_ref: 'pay_1', reason: 'no_funds' }),
      means: { type: 'failed', code: RESULT.insufficientFunds, reason: 'The payer has insufficient funds.' },
    },
    {
      title: 'payout/closed',
      receiver: 'processor_h',
      raw: written('payout/closed', { payout: 'bh_1' }, { at: '2026-01-31T12:00:00.000Z' }),
      means: {
        type: 'settlement_batch',
        batchId: 'bh_1',
        reference: 'bh_1',
        occurredAt: '2026-01-31T12:00:00.000Z',
      },
    },
  ],
  malformedCallbacks: [
    malformed('no object', '[]'),
    malformed('no JSON', '{'),
    malformed('no topic', '{"event_id":"evt_1","about":{"merchant_ref":"pay_1"}}'),
    malformed('no event id', '{"topic":"invoice/confirmed","about":{"merchant_ref":"pay_1"}}'),
    malformed('nothing it is about', '{"topic":"invoice/confirmed","event_id":"evt_1","about":[]}'),
    malformed('no reference', '{"topic":"invoice/confirmed","event_id":"evt_1","about":{}}'),
    malformed('a payout without its id', '{"topic":"payout/closed","event_id":"evt_1","about":{}}'),
    malformed(
      'an amount that is none',
      '{"topic":"invoice/confirmed","event_id":"evt_1","about":{"merchant_ref":"pay_1","amount":"10.00"}}',
    ),
    malformed(
      'a time that is none',
      '{"topic":"invoice/confirmed","event_id":"evt_1","at":"today","about":{"merchant_ref":"pay_1"}}',
    ),
  ],
};

describe('processor H', () => {
  describeConnector(SPEC);

  describe('the signed time', () => {
    const { verify } = createConnectorH({ baseUrl: 'http://h.example', apiKey: 'k', timeoutMs: 1 }).receivers[0]!;
    const body = '{"topic":"invoice/confirmed"}';

    it.each([0, 240, -240])('is right %i seconds ago', (ageS) => {
      expect(verify(signed(body, ageS)(SECRET), SECRET)).toBe(true);
    });

    it.each([301, 3_600, -360])('is refused %i seconds ago, rightly signed', (ageS) => {
      expect(verify(signed(body, ageS)(SECRET), SECRET)).toBe(false);
    });

    it('cannot be replaced by a later one', () => {
      const raw = signed(body, 3_600)(SECRET);
      const now = `${Math.floor(Date.now() / 1_000)}`;
      expect(verify({ ...raw, headers: { ...raw.headers, 'x-timestamp': now } }, SECRET)).toBe(false);
    });

    it.each(['', '0x6', '1e9', 'now'])('is no time: %j', (timestamp) => {
      const signature = createHmac('sha512', SECRET).update(`${timestamp}.${body}`).digest('base64');
      const headers = { 'x-timestamp': timestamp, 'x-signature': signature };
      expect(verify({ ...signed(body)(SECRET), headers }, SECRET)).toBe(false);
    });
  });

  describe('quotes', () => {
    const bench = new Bench(SPEC);
    beforeAll(() => bench.start());
    afterAll(() => bench.stop());

    const ask = async (index: number, amountMinor = 1_000n, currency = 'EUR') => {
      const request = bench.order(MEANS.crypto[index], { money: { amountMinor, currency } });
      const answer = await bench.connector.authorize(request);
      if (answer.kind !== 'payer_action') throw new Error(answer.kind);
      const { asset = '', assetAmount = '', rate = '', address = '', uri = '' } = answer.action.fields ?? {};
      return { request, answer, asset, assetAmount, rate, address, uri };
    };
    const scaled = (decimal: string, decimals: number) => {
      const [whole = '', part = ''] = decimal.split('.');
      return BigInt(whole + part.padEnd(decimals, '0'));
    };

    it.each([
      [0, 8, 'EUR', 2],
      [1, 18, 'EUR', 2],
      [2, 6, 'EUR', 2],
      [0, 8, 'JPY', 0],
      [1, 18, 'KWD', 3],
    ])('asset %i costs what the rate says, never less', async (index, decimals, currency, exponent) => {
      const { assetAmount, rate } = await ask(index, 123_456_701n, currency);
      expect(assetAmount.split('.')[1]).toHaveLength(decimals);
      const units = scaled(assetAmount, decimals);
      // Both sides in 10^-(decimals + 18) of the currency's unit.
      const worth = (amount: bigint) => amount * scaled(rate, 18);
      const price = 123_456_701n * 10n ** BigInt(18 - exponent) * 10n ** BigInt(decimals);
      expect(worth(units) >= price).toBe(true);
      expect(worth(units - 1n) < price).toBe(true);
    });

    it('gives bitcoin an address of the test network and a link of BIP 21', async () => {
      const { address, assetAmount, uri } = await ask(0);
      const { prefix, words } = bech32.decode(address as `tb1${string}`);
      expect([prefix, words[0], bech32.fromWords(words.slice(1)).length]).toEqual(['tb', 0, 20]);
      expect(uri).toBe(`bitcoin:${address}?amount=${assetAmount}`);
    });

    it('asks for ether and for a token by links of EIP-681', async () => {
      const ether = await ask(1);
      expect(ether.address).toMatch(/^0x[0-9a-f]{40}$/);
      expect(ether.uri).toBe(`ethereum:${ether.address}@11155111?value=${scaled(ether.assetAmount, 18)}`);
      const token = await ask(2);
      const { address, uri, assetAmount } = token;
      expect(uri).toMatch(/^ethereum:0x[0-9a-f]{40}@11155111\/transfer\?/);
      const parameters = new URLSearchParams(uri.split('?')[1]);
      expect(parameters.get('address')).toBe(address);
      expect(parameters.get('uint256')).toBe(scaled(assetAmount, 6).toString());
    });

    it('holds rate and amount, and gives every invoice an address of its own', async () => {
      const [one, other] = [await ask(0), await ask(0)];
      expect(one.address).not.toBe(other.address);
      expect(await bench.connector.inquirePayment(one.request.reference)).toEqual(one.answer);
    });

    it('asks for the rest at the same rate and address', async () => {
      const { request, answer, rate, address, assetAmount } = await ask(0);
      await bench.press(answer, 'underpaid');
      const rest = await bench.connector.inquirePayment(request.reference);
      expect(rest).toMatchObject({ action: { fields: { rate, address, amount: '5.00' } } });
      const due = rest.kind === 'payer_action' ? scaled(rest.action.fields?.assetAmount ?? '', 8) : 0n;
      const half = scaled(assetAmount, 8) / 2n;
      expect(due - half).toBeGreaterThanOrEqual(0n);
      expect(due - half).toBeLessThanOrEqual(1n);
    });

    it('counts its confirmations', async () => {
      const { request, answer } = await ask(0);
      await bench.press(answer, 'authenticated');
      await bench.inquiredUntil(request.reference, 'captured');
      await bench.event(request.reference, 'captured');
      const told = bench
        .events()
        .filter(({ reference, type }) => reference === request.reference && type !== 'settled');
      expect(told.map(({ type, reason }) => [type, reason])).toEqual([
        ['processing', 'The payment has 0 of 2 confirmations.'],
        ['processing', 'The payment has 1 of 2 confirmations.'],
        ['captured', undefined],
      ]);
    });

    it('is signed anew when it is sent again', async () => {
      const { request, answer } = await ask(0);
      await bench.inject('callback', 'status_500', request.reference);
      const tries = () => bench.sink.received.filter(({ body }) => body.includes(request.reference));
      const arrived = async (count: number) => {
        while (tries().length < count) await pause();
      };
      await bench.press(answer, 'failed');
      await arrived(1);
      const tenMinutesOn = Date.now() + 600_000;
      const clock = jest.spyOn(Date, 'now').mockImplementation(() => tenMinutesOn);
      await arrived(2);
      const [first, second] = tries().map((raw) => bench.connector.receivers[0]!.verify(raw, SECRET));
      clock.mockRestore();
      expect([first, second]).toEqual([false, true]);
    });

    it('serves no other asset and no other kind', async () => {
      const card = await bench.connector.authorize(bench.cardOrder('4111111111111111'));
      expect(card.kind).toBe('not_charged');
      const asset = 'DOGE' as 'BTC';
      const other = await bench.connector.authorize(
        bench.order({ ...MEANS.crypto[0]!, instrument: { kind: 'crypto', asset } }),
      );
      expect(other).toMatchObject({ kind: 'declined', code: RESULT.invalidPaymentData });
    });
  });
});
