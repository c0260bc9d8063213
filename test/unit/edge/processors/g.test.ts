import { createHash } from 'node:crypto';
import type { ProcessorEvent, RawCallback } from '../../../../src/domain/connector';
import { ProcessorUnavailable } from '../../../../src/domain/connector';
import { RESULT } from '../../../../src/domain/result-codes';
import { apiKeyFor } from '../../../../src/edge/processors/credentials';
import { createConnectorG } from '../../../../src/edge/processors/g';
import { describeConnector } from './contract';
import { Bench, EUR } from './contract/bench';
import type { ConnectorSpec } from './contract/spec';

const SECRET = 'secret of processor g';
const payment = (members: object, code = '00') =>
  JSON.stringify({ code, payment: { id: 'pg_1', order: 'pay_1', total: '10.00 EUR', ...members } });
const refund = (members: object) =>
  JSON.stringify({
    code: '00',
    refund: { id: 'rg_1', order: 'pay_1', refund: 'ref_1', total: '4.00 EUR', ...members },
  });
const page = { url: 'https://g.example/page', until: '2030-01-01T00:00:00.000Z' };

const form = (text: string) => (): RawCallback => ({
  method: 'POST',
  path: '/callbacks/processor_g',
  query: '',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: Buffer.from(text),
});
const hint = (state: string, type: string) => ({
  title: `state ${state}`,
  receiver: 'processor_g',
  raw: form(`nid=1&state=${state}&order=pay_1&total=10.00+EUR`),
  means: { reference: 'pay_1', type: type as 'captured', processorStatus: state, money: EUR(1_000n) },
});
const malformed = (title: string, text: string) => ({ title, receiver: 'processor_g', raw: form(text) });

const SPEC: ConnectorSpec = {
  processor: 'g',
  secret: SECRET,
  feeMinor: 60n,
  create: (options) => createConnectorG({ ...options, apiKey: apiKeyFor(SECRET) }),
  paymentAnswers: [
    { title: 'held', body: payment({ state: '20' }), means: { kind: 'authorized', money: EUR(1_000n) } },
    ...['30', '31', '32', '33', '40'].map((state) => ({
      title: `state ${state}`,
      body: payment({ state, paid: '10.00 EUR' }),
      means: { kind: 'captured' as const, money: EUR(1_000n), processorReference: 'pg_1' },
    })),
    {
      title: 'waiting for 3-D Secure',
      body: payment({ state: '10', page }),
      means: {
        kind: 'challenge',
        action: { type: 'redirect', method: 'GET', url: page.url, expiresAt: page.until },
      },
    },
    ...[
      ['D05', RESULT.declined],
      ['D14', RESULT.invalidPaymentData],
      ['D41', RESULT.lostOrStolenCard],
      ['D43', RESULT.lostOrStolenCard],
      ['D51', RESULT.insufficientFunds],
      ['D54', RESULT.expiredCard],
      ['D61', RESULT.limitExceeded],
      ['D82', RESULT.cvvMismatch],
      ['R01', RESULT.blockedByRiskRule],
      ['D99', RESULT.declined],
      ['constructor', RESULT.declined],
    ].map(([reason, code]) => ({
      title: `declined for ${reason}`,
      body: payment({ state: '50', reason }),
      means: { kind: 'declined' as const, code: code as 200 },
    })),
    {
      title: 'declined for want of authentication',
      body: payment({ state: '50', reason: 'D65' }),
      means: { kind: 'soft_declined' },
    },
    { title: '3-D Secure failed', body: payment({ state: '51' }), means: { kind: 'authentication_failed' } },
    { title: 'cancelled', body: payment({ state: '60' }), means: { kind: 'voided' } },
    ...['70', '99', '3', 'constructor', '__proto__'].map((state) => ({
      title: `the unknown state ${state}`,
      body: payment({ state, paid: '10.00 EUR' }),
      means: { kind: 'pending' as const },
    })),
    { title: 'a refused operation, with the payment', body: payment({ state: '60' }, '49'), means: { kind: 'voided' } },
    { title: 'a refused operation alone', body: '{"code":"49"}', means: { kind: 'unknown' } },
    { title: 'another request under the key', body: '{"code":"47"}', means: { kind: 'unknown' } },
    { title: 'an unknown code', body: payment({ state: '30', paid: '10.00 EUR' }, '01'), means: { kind: 'unknown' } },
    { title: 'a code that is a number', body: '{"code":0}', means: { kind: 'unknown' } },
    { title: 'captured without an amount', body: payment({ state: '30' }), means: { kind: 'unknown' } },
    { title: 'a challenge without a page', body: payment({ state: '10' }), means: { kind: 'unknown' } },
    {
      title: 'a page that is a script',
      body: payment({ state: '10', page: { ...page, url: 'javascript:alert(1)' } }),
      means: { kind: 'unknown' },
    },
    { title: 'a state that is a number', body: payment({ state: 30, paid: '10.00 EUR' }), means: { kind: 'unknown' } },
    {
      title: 'another payment',
      body: payment({ state: '30', paid: '10.00 EUR', order: 'pay_2' }),
      means: { kind: 'unknown' },
    },
    ...['10.00', '10.0 EUR', '10.00  EUR', 'EUR 10.00', '10.00 EUR EUR', '10.00 constructor'].map((total) => ({
      title: `the total ${total}`,
      body: payment({ state: '20', total }),
      means: { kind: 'unknown' as const },
    })),
    { title: 'nothing found', body: '{"code":"44"}', means: { kind: 'not_found' } },
    { title: 'an address that is not there', status: 404, body: '{}', means: { kind: 'unknown' } },
    { title: 'a wrong key', body: '{"code":"41"}', means: { kind: 'unknown' } },
  ],
  refundAnswers: [
    { title: 'refunded', body: refund({ state: '81' }), means: { kind: 'refunded', money: EUR(400n) } },
    { title: 'declined', body: refund({ state: '82' }), means: { kind: 'refund_declined' } },
    { title: 'pending', body: refund({ state: '80' }), means: { kind: 'pending' } },
    { title: 'the unknown state constructor', body: refund({ state: 'constructor' }), means: { kind: 'pending' } },
    { title: 'another refund', body: refund({ state: '81', refund: 'ref_2' }), means: { kind: 'unknown' } },
    { title: 'nothing found', body: '{"code":"44"}', means: { kind: 'not_found' } },
  ],
  callbacks: [
    hint('11', 'authenticated'),
    hint('20', 'authorized'),
    hint('30', 'captured'),
    hint('31', 'settled'),
    hint('32', 'captured'),
    hint('33', 'captured'),
    hint('40', 'charged_back'),
    hint('41', 'chargeback_won'),
    hint('42', 'chargeback_lost'),
    hint('43', 'second_presentment'),
    hint('51', 'authentication_failed'),
    hint('60', 'voided'),
    hint('70', 'pending'),
    hint('constructor', 'pending'),
    {
      title: 'declined',
      receiver: 'processor_g',
      raw: form('nid=1&state=50&order=pay_1&reason=D51'),
      means: { type: 'failed', code: RESULT.insufficientFunds },
    },
    {
      title: 'a refund',
      receiver: 'processor_g',
      raw: form('nid=1&state=82&order=pay_1&refund=ref_1&total=4.00+EUR'),
      means: { type: 'refund_declined', reference: 'ref_1', money: EUR(400n) },
    },
    {
      title: 'a batch',
      receiver: 'processor_g',
      raw: form('nid=1&state=90&batch=bg_1'),
      means: { type: 'settlement_batch', reference: 'bg_1', batchId: 'bg_1' },
    },
    {
      title: 'an event id of its own choosing: the digest of all that came',
      receiver: 'processor_g',
      raw: form('nid=1&state=30&order=pay_1&eventId=evt_1'),
      means: { eventId: createHash('sha256').update('nid=1&state=30&order=pay_1&eventId=evt_1').digest('hex') },
    },
  ],
  malformedCallbacks: [
    malformed('an empty form', ''),
    malformed('no state', 'nid=1&order=pay_1'),
    malformed('no reference', 'nid=1&state=30'),
    malformed('a batch without its id', 'nid=1&state=90&order=pay_1'),
    malformed('two references', 'nid=1&state=30&order=pay_1&order=pay_2'),
    malformed('a total without a currency', 'nid=1&state=30&order=pay_1&total=10.00'),
  ],
};

describe('processor G', () => {
  describeConnector(SPEC);
});

describe('what processor G confirms', () => {
  const bench = new Bench(SPEC);
  beforeAll(() => bench.start());
  afterAll(() => bench.stop());

  const confirm = (event: Partial<ProcessorEvent> & Pick<ProcessorEvent, 'type' | 'reference'>) =>
    bench.connector.confirm!({ eventId: 'digest', processorStatus: 'said', ...event });

  it('keeps the id of the hint and takes nothing else from it', async () => {
    const { reference } = await bench.paid();
    const said = { reference, type: 'failed', money: EUR(1n), caseId: 'case_0', code: RESULT.declined } as const;
    const truth = await confirm(said);
    expect(truth).toMatchObject({ eventId: 'digest', type: 'captured', money: EUR(1_000n) });
    expect([truth?.caseId, truth?.code]).toEqual([undefined, undefined]);
  });

  it('tells a hold, a decline and a cancellation apart', async () => {
    const { reference } = await bench.paid({ capture: false });
    expect(await confirm({ reference, type: 'captured' })).toMatchObject({ type: 'authorized', money: EUR(1_000n) });
    await bench.connector.void({ reference, idempotencyKey: `${reference}/v` });
    expect(await confirm({ reference, type: 'captured' })).toMatchObject({ type: 'voided' });
    const declined = bench.cardOrder('4000000000009995');
    await bench.connector.authorize(declined);
    const truth = await confirm({ reference: declined.reference, type: 'captured' });
    expect(truth).toMatchObject({ type: 'failed', code: RESULT.insufficientFunds });
  });

  it('says what was captured, not what was asked for', async () => {
    const { reference } = await bench.paid({ capture: false });
    await bench.connector.capture({ reference, idempotencyKey: `${reference}/c`, money: EUR(400n) });
    expect((await confirm({ reference, type: 'captured' }))?.money).toEqual(EUR(400n));
  });

  it('knows of no chargeback that was not made, and of the case of one that was', async () => {
    const { reference } = await bench.paid();
    const forged = await confirm({ reference, type: 'charged_back', caseId: 'case_0', money: EUR(1_000n) });
    expect(forged?.type).toBe('captured');
    await bench.tell(reference, 'charged_back', { amount: '4.00' });
    const { caseId } = await bench.event(reference, 'charged_back');
    const truth = { type: 'charged_back', caseId, money: EUR(400n) };
    expect(await confirm({ reference, type: 'charged_back' })).toMatchObject(truth);
    await bench.tell(reference, 'chargeback_won');
    const won = await confirm({ reference, type: 'chargeback_lost', caseId: 'case_0' });
    expect(won).toMatchObject({ type: 'chargeback_won', caseId, money: EUR(400n) });
  });

  it('says what became of a refund', async () => {
    const request = await bench.paid();
    const refund = bench.refundOf(request, 400n);
    await bench.connector.refund(refund);
    const truth = await confirm({ reference: refund.refundReference, type: 'refund_declined' });
    expect(truth).toMatchObject({ type: 'refunded', reference: refund.refundReference, money: EUR(400n) });
    expect(await confirm({ reference: 'ref_0', type: 'refunded' })).toBeUndefined();
  });

  it('knows its batches', async () => {
    const { reference } = await bench.paid();
    for (let batchId: string | undefined; !batchId; ) {
      const [latest] = (await bench.connector.settlementBatches(new Date(0).toISOString())).slice(-1);
      const report = latest ? await bench.connector.settlementReport(latest) : undefined;
      if (report?.lines.some((line) => line.reference === reference)) batchId = latest;
      const truth = batchId && (await confirm({ reference: batchId, type: 'settlement_batch' }));
      if (truth) expect(truth).toMatchObject({ type: 'settlement_batch', batchId });
    }
    expect(await confirm({ reference: 'bg_0', type: 'settlement_batch' })).toBeUndefined();
  });

  it.each([
    ['another payment', payment({ state: '30', paid: '10.00 EUR', order: 'pay_2' }), undefined],
    ['captured, and no amount', payment({ state: '30' }), { type: 'pending' }],
    ['an unknown state', payment({ state: '71' }), { type: 'pending' }],
    ['disputed', payment({ state: '40', paid: '10.00 EUR' }), { type: 'captured' }],
  ] as const)('%s', async (_title, body, means) => {
    const truth = await bench.asking({ body }).confirm!({
      eventId: 'digest',
      processorStatus: '30',
      reference: 'pay_1',
      type: 'captured',
    });
    if (means) expect(truth).toMatchObject(means);
    else expect(truth).toBeUndefined();
  });

  it.each([
    ['{', 200],
    ['{"code":"41"}', 200],
    ['{"code":"44"}', 404],
    ['', 500],
  ])('waits while the answer is %s with %i', async (body, status) => {
    const event = { eventId: 'digest', processorStatus: '30', reference: 'pay_1', type: 'captured' } as const;
    await expect(bench.asking({ body, status }).confirm!(event)).rejects.toThrow(ProcessorUnavailable);
  });
});
