import { createHmac } from 'node:crypto';
import type { RawCallback } from '../../../../src/domain/connector';
import { RESULT } from '../../../../src/domain/result-codes';
import { createConnectorC } from '../../../../src/edge/processors/c';
import { apiKeyFor } from '../../../../src/edge/processors/credentials';
import { describeConnector } from './contract';
import { Bench, EUR } from './contract/bench';
import { MEANS } from './contract/means';
import type { ConnectorSpec } from './contract/spec';

const SECRET = 'secret of processor c';
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const base = { order_id: 'pay_1', txn_id: 'pc_1', amount: '1000', currency: '978' };
const payment = (fields: Record<string, string>) => form({ ...base, ...fields });
const refund = (fields: Record<string, string>) =>
  form({ order_id: 'pay_1', credit_id: 'ref_1', txn_id: 'rc_1', amount: '400', currency: '978', ...fields });
const page = { page_url: 'https://c.example/page', page_expires: '20300101000000' };
const redirect = {
  type: 'redirect',
  method: 'GET',
  url: 'https://c.example/page',
  expiresAt: '2030-01-01T00:00:00.000Z',
} as const;

const post =
  (receiver: string, body: (sign: (signed: string) => string) => string) =>
  (secret: string): RawCallback => ({
    method: 'POST',
    path: `/callbacks/${receiver}`,
    query: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(body((signed) => createHmac('sha256', secret).update(signed).digest('hex'))),
  });
const signed = (text: string, receiver = 'processor_c') => post(receiver, (sign) => `${text}&signature=${sign(text)}`);

const callback = (state: string, type: string, receiver = 'processor_c') => ({
  title: state,
  receiver,
  raw: signed(`notice_id=evt_1&state=${state}&order_id=pay_1&amount=1000&currency=978`, receiver),
  means: { eventId: 'evt_1', reference: 'pay_1', type: type as 'captured', processorStatus: state, money: EUR(1_000n) },
});
const malformed = (title: string, text: string) => ({ title, receiver: 'processor_c', raw: signed(text) });

const SPEC: ConnectorSpec = {
  processor: 'c',
  secret: SECRET,
  feeMinor: 25n,
  create: (options) => createConnectorC({ ...options, apiKey: apiKeyFor(SECRET) }),
  paymentAnswers: [
    { title: 'APPROVED', body: payment({ state: 'APPROVED' }), means: { kind: 'authorized', money: EUR(1_000n) } },
    ...['POSTED', 'FUNDED', 'PART_CREDITED', 'CREDITED', 'DISPUTED'].map((state) => ({
      title: state,
      body: payment({ state, captured_amount: '1000' }),
      means: { kind: 'captured' as const, money: EUR(1_000n), processorReference: 'pc_1' },
    })),
    {
      title: 'ACS_PENDING',
      body: payment({ state: 'ACS_PENDING', ...page }),
      means: { kind: 'challenge', action: redirect },
    },
    {
      title: 'PAGE_PENDING',
      body: payment({ state: 'PAGE_PENDING', ...page }),
      means: { kind: 'payer_action', action: redirect },
    },
    ...[
      ['05', RESULT.declined],
      ['14', RESULT.invalidPaymentData],
      ['17', RESULT.declined],
      ['41', RESULT.lostOrStolenCard],
      ['43', RESULT.lostOrStolenCard],
      ['51', RESULT.insufficientFunds],
      ['54', RESULT.expiredCard],
      ['59', RESULT.blockedByRiskRule],
      ['61', RESULT.limitExceeded],
      ['N7', RESULT.cvvMismatch],
      ['96', RESULT.declined],
      ['constructor', RESULT.declined],
    ].map(([code, means]) => ({
      title: `DENIED with ${code}`,
      body: payment({ state: 'DENIED', response_code: String(code) }),
      means: { kind: 'declined' as const, code: means as 200 },
    })),
    {
      title: 'DENIED for want of authentication',
      body: payment({ state: 'DENIED', response_code: '65' }),
      means: { kind: 'soft_declined' },
    },
    { title: 'DENIED without a code', body: payment({ state: 'DENIED' }), means: { kind: 'declined', code: 200 } },
    { title: 'ACS_DENIED', body: payment({ state: 'ACS_DENIED' }), means: { kind: 'authentication_failed' } },
    { title: 'REVERSED', body: payment({ state: 'REVERSED' }), means: { kind: 'voided' } },
    ...['IN_PROGRESS', 'posted', 'constructor', '__proto__', 'hasOwnProperty'].map((state) => ({
      title: `the unknown state ${state}`,
      body: payment({ state, captured_amount: '1000' }),
      means: { kind: 'pending' as const },
    })),
    {
      title: 'a refused operation, with the payment',
      status: 409,
      body: payment({ error: 'INVALID_STATE', state: 'REVERSED' }),
      means: { kind: 'voided' },
    },
    { title: 'POSTED without what was captured', body: payment({ state: 'POSTED' }), means: { kind: 'unknown' } },
    { title: 'a challenge without a page', body: payment({ state: 'ACS_PENDING' }), means: { kind: 'unknown' } },
    {
      title: 'a page that is a script',
      body: payment({ state: 'PAGE_PENDING', ...page, page_url: 'javascript:alert(1)' }),
      means: { kind: 'unknown' },
    },
    {
      title: 'a page that closes on no day there is',
      body: payment({ state: 'PAGE_PENDING', ...page, page_expires: '20301301000000' }),
      means: { kind: 'unknown' },
    },
    {
      title: 'another payment',
      body: payment({ state: 'POSTED', captured_amount: '1000', order_id: 'pay_2' }),
      means: { kind: 'unknown' },
    },
    {
      title: 'two states',
      body: `${payment({ state: 'POSTED', captured_amount: '1000' })}&state=DENIED`,
      means: { kind: 'unknown' },
    },
    ...[
      ['amount', '10.00'],
      ['amount', '-1000'],
      ['amount', '01000'],
      ['currency', 'EUR'],
      ['currency', '0'],
      ['currency', 'constructor'],
    ].map(([name, value]) => ({
      title: `${name} ${value}`,
      body: payment({ state: 'APPROVED', [name as string]: value as string }),
      means: { kind: 'unknown' as const },
    })),
    { title: 'nothing found', status: 404, body: 'error=NOT_FOUND', means: { kind: 'not_found' } },
    { title: 'a wrong key', status: 401, body: 'error=UNAUTHORIZED', means: { kind: 'unknown' } },
  ],
  refundAnswers: [
    { title: 'CREDITED', body: refund({ state: 'CREDITED' }), means: { kind: 'refunded', money: EUR(400n) } },
    { title: 'CREDIT_DENIED', body: refund({ state: 'CREDIT_DENIED' }), means: { kind: 'refund_declined' } },
    { title: 'CREDIT_PENDING', body: refund({ state: 'CREDIT_PENDING' }), means: { kind: 'pending' } },
    { title: 'the unknown state constructor', body: refund({ state: 'constructor' }), means: { kind: 'pending' } },
    { title: 'another refund', body: refund({ state: 'CREDITED', credit_id: 'ref_2' }), means: { kind: 'unknown' } },
    { title: 'nothing found', status: 404, body: 'error=NOT_FOUND', means: { kind: 'not_found' } },
  ],
  callbacks: [
    callback('APPROVED', 'authorized'),
    callback('POSTED', 'captured'),
    callback('FUNDED', 'settled'),
    callback('REVERSED', 'voided'),
    callback('ACS_PASSED', 'authenticated'),
    callback('ACS_DENIED', 'authentication_failed'),
    callback('DISPUTED', 'charged_back'),
    callback('DISPUTE_REPRESENTED', 'second_presentment'),
    callback('DISPUTE_WON', 'chargeback_won'),
    callback('DISPUTE_LOST', 'chargeback_lost'),
    callback('IN_PROGRESS', 'pending'),
    callback('constructor', 'pending'),
    callback('POSTED', 'captured', 'processor_chp'),
    callback('APPROVED', 'authorized', 'processor_chp'),
    {
      title: 'DENIED',
      receiver: 'processor_chp',
      raw: signed('notice_id=evt_1&state=DENIED&order_id=pay_1&response_code=51', 'processor_chp'),
      means: { type: 'failed', code: RESULT.insufficientFunds },
    },
    {
      title: 'a dispute, with its case',
      receiver: 'processor_c',
      raw: signed('notice_id=evt_1&state=DISPUTED&order_id=pay_1&case_id=case_1&reason=FRAUD&time=20260131120000'),
      means: { caseId: 'case_1', reason: 'FRAUD', occurredAt: '2026-01-31T12:00:00.000Z' },
    },
    {
      title: 'CREDIT_DENIED',
      receiver: 'processor_c',
      raw: signed('notice_id=evt_1&state=CREDIT_DENIED&order_id=pay_1&credit_id=ref_1&amount=400&currency=978'),
      means: { type: 'refund_declined', reference: 'ref_1', money: EUR(400n) },
    },
    {
      title: 'BATCH_CLOSED',
      receiver: 'processor_c',
      raw: signed('notice_id=evt_1&state=BATCH_CLOSED&batch_id=bc_1'),
      means: { type: 'settlement_batch', reference: 'bc_1', batchId: 'bc_1' },
    },
    {
      title: 'the signature in front of what it signs',
      receiver: 'processor_c',
      raw: post('processor_c', (sign) => {
        const text = 'state=POSTED&order_id=pay_1&notice_id=evt_1';
        return `signature=${sign(text)}&${text}`;
      }),
      means: { type: 'captured' },
    },
    {
      title: 'another encoding than ours, signed as it came',
      receiver: 'processor_c',
      raw: signed('notice_id=evt_1&state=%50OSTED&order_id=pay_1&note=a+b%20%c3%a9'),
      means: { type: 'captured' },
    },
  ],
  malformedCallbacks: [
    malformed('an empty form', ''),
    malformed('no event id', 'state=POSTED&order_id=pay_1'),
    malformed('no state', 'notice_id=evt_1&order_id=pay_1'),
    malformed('no reference', 'notice_id=evt_1&state=POSTED'),
    malformed('a batch without its id', 'notice_id=evt_1&state=BATCH_CLOSED&order_id=pay_1'),
    malformed('two references', 'notice_id=evt_1&state=POSTED&order_id=pay_1&order_id=pay_2'),
    malformed('a second signature in disguise', 'notice_id=evt_1&state=POSTED&order_id=pay_1&%73ignature=00'),
    malformed('an amount without a currency', 'notice_id=evt_1&state=POSTED&order_id=pay_1&amount=1000'),
    malformed('an amount with decimals', 'notice_id=evt_1&state=POSTED&order_id=pay_1&amount=10.00&currency=978'),
    malformed('a time that is none', 'notice_id=evt_1&state=POSTED&order_id=pay_1&time=now'),
  ],
};

describe('processor C', () => {
  describeConnector(SPEC);

  const { verify } = createConnectorC({ baseUrl: 'http://127.0.0.1:1', apiKey: 'k', timeoutMs: 1 }).receivers[0]!;

  it('signs the fields in their order', () => {
    const raw = signed('notice_id=evt_1&state=POSTED&order_id=pay_1')(SECRET);
    const [signature] = /signature=\w+$/.exec(raw.body.toString())!;
    const body = Buffer.from(`state=POSTED&notice_id=evt_1&order_id=pay_1&${signature}`);
    expect(verify({ ...raw, body }, SECRET)).toBe(false);
  });

  it('takes no second signature', () => {
    const raw = signed('notice_id=evt_1&state=POSTED&order_id=pay_1')(SECRET);
    expect(verify({ ...raw, body: Buffer.from(`${raw.body}&signature=00`) }, SECRET)).toBe(false);
    expect(verify({ ...raw, body: Buffer.from(`signature=00&${raw.body}`) }, SECRET)).toBe(false);
  });

  it('tells bytes apart that are no UTF-8', () => {
    const raw = signed('notice_id=evt_1&state=POSTED&order_id=pay_1&note=\u00ff')(SECRET);
    const body = Buffer.from(raw.body);
    body[body.indexOf(0xc3)] = 0xff;
    expect(verify({ ...raw, body }, SECRET)).toBe(false);
  });
});

describe('processor C in its own way', () => {
  const bench = new Bench(SPEC);
  beforeAll(() => bench.start());
  afterAll(() => bench.stop());

  it.each([
    ['no tail', 'H,bc_1,20260131120000\nD,l1,SALE,pay_1,pay_1,1000,978,25\n'],
    ['a line too few', 'H,bc_1,20260131120000\nD,l1,SALE,pay_1,pay_1,1000,978,25\nT,2\n'],
    ['a line of an unknown type', 'H,bc_1,20260131120000\nD,l1,GIFT,pay_1,pay_1,1000,978,25\nT,1\n'],
    ['a fee that is none', 'H,bc_1,20260131120000\nD,l1,SALE,pay_1,pay_1,1000,978,0.25\nT,1\n'],
    ['another batch', 'H,bc_2,20260131120000\nT,0\n'],
    ['no time', 'H,bc_1,today\nT,0\n'],
    ['nothing', ''],
  ])('takes no settlement report with %s', async (_title, body) => {
    await expect(bench.asking({ body }).settlementReport('bc_1')).rejects.toThrow('cannot be read');
  });

  it.each([
    ['authenticated', true, 'captured'],
    ['authenticated', false, 'authorized'],
    ['failed', true, 'failed'],
  ] as const)(
    'tells what becomes of the hosted page to a receiver of its own: %s, capture %s',
    async (outcome, capture, type) => {
      const request = bench.order(MEANS.hosted_page[0], { capture });
      await bench.press(await bench.connector.authorize(request), outcome);
      const [raw] = await bench.sink.expect('processor_chp', request.reference);
      expect(bench.connector.receivers[1]?.parse(raw!)).toMatchObject({ reference: request.reference, type });
    },
  );
});
