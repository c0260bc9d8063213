import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { RawCallback } from '../../../../src/domain/connector';
import { RESULT } from '../../../../src/domain/result-codes';
import { apiKeyFor } from '../../../../src/edge/processors/credentials';
import { createConnectorD } from '../../../../src/edge/processors/d';
import { receivers } from '../../../../src/edge/processors/d/callback';
import { describeConnector } from './contract';
import { Bench, EUR } from './contract/bench';
import { MEANS } from './contract/means';
import type { ConnectorSpec } from './contract/spec';

const makeKey = () =>
  generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const SECRET = makeKey();
const STRANGERS_SECRET = makeKey();

const transaction = (members: object) =>
  JSON.stringify({ transaction: { id: 'pd_1', order: 'pay_1', total: '10.00 EUR', ...members } });
const refund = (members: object) =>
  JSON.stringify({ refund: { id: 'rd_1', refund: 'ref_1', order: 'pay_1', total: '4.00 EUR', ...members } });
const page = { url: 'https://d.example/page', open_until: '2030-01-01T02:00:00+02:00' };

const post = (body: string, signature: string): RawCallback => ({
  method: 'POST',
  path: '/callbacks/processor_dhp',
  query: '',
  headers: { 'content-type': 'application/json', 'signature-rsa': signature },
  body: Buffer.from(body),
});
const signatureOf = (body: string, key: string, algorithm = 'RSA-SHA256') =>
  sign(algorithm, Buffer.from(body), createPrivateKey(key)).toString('base64');
const signed = (content: object | string) => (secret: string) => {
  const body = typeof content === 'string' ? content : JSON.stringify(content);
  return post(body, signatureOf(body, secret));
};
const notice = (members: object) => ({
  notice: 'evt_1',
  happened: '2026-01-31T14:00:00+02:00',
  order: 'pay_1',
  id: 'pd_1',
  total: '10.00 EUR',
  ...members,
});
const callback = (status: string, type: string, members: object = {}, means: object = {}) => ({
  title: status,
  receiver: 'processor_dhp',
  raw: signed(notice({ status, ...members })),
  means: {
    eventId: 'evt_1',
    reference: 'pay_1',
    type: type as 'captured',
    processorStatus: status,
    processorReference: 'pd_1',
    money: EUR(1_000n),
    occurredAt: '2026-01-31T12:00:00.000Z',
    ...means,
  },
});
const malformed = (title: string, content: object | string) => ({
  title,
  receiver: 'processor_dhp',
  raw: signed(content),
});

const SPEC: ConnectorSpec = {
  processor: 'd',
  secret: SECRET,
  strangersSecret: STRANGERS_SECRET,
  feeMinor: 22n,
  create: (options) => createConnectorD({ ...options, apiKey: apiKeyFor(SECRET) }),
  paymentAnswers: [
    { title: 'held', body: transaction({ status: 'held' }), means: { kind: 'authorized', money: EUR(1_000n) } },
    ...['charged', 'paid-out', 'part-refunded', 'refunded', 'disputed'].map((status) => ({
      title: status,
      body: transaction({ status, charged: '10.00 EUR' }),
      means: { kind: 'captured' as const, money: EUR(1_000n), processorReference: 'pd_1' },
    })),
    {
      title: 'page-open',
      body: transaction({ status: 'page-open', page }),
      means: {
        kind: 'payer_action',
        action: { type: 'redirect', method: 'GET', url: page.url, expiresAt: '2030-01-01T00:00:00.000Z' },
      },
    },
    ...(
      [
        ['001', RESULT.lostOrStolenCard],
        ['002', RESULT.lostOrStolenCard],
        ['004', RESULT.declined],
        ['006', RESULT.cvvMismatch],
        ['014', RESULT.insufficientFunds],
        ['015', RESULT.limitExceeded],
        ['033', RESULT.invalidPaymentData],
        ['036', RESULT.expiredCard],
        ['061', RESULT.blockedByRiskRule],
        ['099', RESULT.declined],
        ['777', RESULT.declined],
        ['constructor', RESULT.declined],
        [undefined, RESULT.declined],
      ] as const
    ).map(([code, means]) => ({
      title: `refused with ${code}`,
      body: transaction({ status: 'refused', return_code: code }),
      means: { kind: 'declined' as const, code: means },
    })),
    ...['released', 'page-closed'].map((status) => ({
      title: status,
      body: transaction({ status }),
      means: { kind: 'voided' as const },
    })),
    ...['working', 'Charged', 'constructor', '__proto__', 'toString'].map((status) => ({
      title: `the unknown word ${status}`,
      body: transaction({ status, charged: '10.00 EUR' }),
      means: { kind: 'pending' as const },
    })),
    {
      title: 'a refused operation, with the transaction',
      status: 409,
      body: transaction({ status: 'released' }),
      means: { kind: 'voided' },
    },
    { title: 'charged without an amount', body: transaction({ status: 'charged' }), means: { kind: 'unknown' } },
    { title: 'an open page that is nowhere', body: transaction({ status: 'page-open' }), means: { kind: 'unknown' } },
    ...[
      { ...page, url: 'javascript:alert(1)' },
      { ...page, open_until: '2030-01-01T02:00:00' },
      { ...page, open_until: '2030-01-01T02:00:00+99:00' },
      { ...page, open_until: 'Tue, 01 Jan 2030 02:00 +02:00' },
    ].map((wrong) => ({
      title: `the page ${JSON.stringify(wrong)}`,
      body: transaction({ status: 'page-open', page: wrong }),
      means: { kind: 'unknown' as const },
    })),
    {
      title: 'another payment',
      body: transaction({ status: 'held', order: 'pay_2' }),
      means: { kind: 'unknown' },
    },
    ...['10.00', '10 EUR', '-10.00 EUR', '10.00 XXX EUR', '10.00 euros', '10.00  EUR', 1000, ''].map((total) => ({
      title: `the amount ${JSON.stringify(total)}`,
      body: transaction({ status: 'held', total }),
      means: { kind: 'unknown' as const },
    })),
    { title: 'nothing found', status: 404, body: '{}', means: { kind: 'not_found' } },
    { title: 'a wrong key', status: 401, body: '{}', means: { kind: 'unknown' } },
  ],
  refundAnswers: [
    { title: 'refunded', body: refund({ status: 'refunded' }), means: { kind: 'refunded', money: EUR(400n) } },
    { title: 'refund-refused', body: refund({ status: 'refund-refused' }), means: { kind: 'refund_declined' } },
    { title: 'refund-working', body: refund({ status: 'refund-working' }), means: { kind: 'pending' } },
    { title: 'the unknown word constructor', body: refund({ status: 'constructor' }), means: { kind: 'pending' } },
    { title: 'another refund', body: refund({ status: 'refunded', refund: 'ref_2' }), means: { kind: 'unknown' } },
    { title: 'nothing found', status: 404, body: '{}', means: { kind: 'not_found' } },
  ],
  callbacks: [
    callback('held', 'authorized'),
    callback('charged', 'captured'),
    callback('paid-out', 'settled'),
    callback('released', 'voided'),
    callback('page-closed', 'voided'),
    callback('refused', 'failed', { return_code: '014' }, { code: RESULT.insufficientFunds }),
    callback('refused', 'failed', { return_code: 'constructor' }, { code: RESULT.declined }),
    callback('refunded', 'refunded', { refund: 'ref_1' }, { reference: 'ref_1' }),
    callback('refund-refused', 'refund_declined', { refund: 'ref_1' }, { reference: 'ref_1' }),
    callback('disputed', 'charged_back', { dispute: 'case_1', reason: 'fraud' }, { caseId: 'case_1', reason: 'fraud' }),
    callback('dispute-answered', 'second_presentment', { dispute: 'case_1' }, { caseId: 'case_1' }),
    callback('dispute-won', 'chargeback_won', { dispute: 'case_1' }, { caseId: 'case_1' }),
    callback('dispute-lost', 'chargeback_lost', { dispute: 'case_1' }, { caseId: 'case_1' }),
    callback('working', 'pending'),
    callback('constructor', 'pending'),
    {
      title: 'statement-closed',
      receiver: 'processor_dhp',
      raw: signed({ notice: 'evt_2', status: 'statement-closed', statement: 'bd_1' }),
      means: { type: 'settlement_batch', batchId: 'bd_1', reference: 'bd_1', eventId: 'evt_2' },
    },
  ],
  malformedCallbacks: [
    ...['[]', 'null', '{', 'a=b', ''].map((body) => malformed(`the body ${body}`, body)),
    malformed('no event id', notice({ status: 'charged', notice: undefined })),
    malformed('no status', notice({})),
    malformed('no reference', notice({ status: 'charged', order: undefined })),
    malformed('an amount without a currency', notice({ status: 'charged', total: '10.00' })),
    malformed('an amount that is a number', notice({ status: 'charged', total: 10 })),
    malformed('a time that is none', notice({ status: 'charged', happened: 'now' })),
    malformed('a statement without its id', notice({ status: 'statement-closed' })),
  ],
};

describe('processor D', () => {
  describeConnector(SPEC);

  describe('the signature', () => {
    const { verify } = receivers[0]!;
    const body = JSON.stringify(notice({ status: 'charged' }));
    const good = signatureOf(body, SECRET);

    it('is checked with the public key as well', () => {
      const publicKey = createPublicKey(SECRET).export({ type: 'spki', format: 'pem' }).toString();
      expect(verify(post(body, good), publicKey)).toBe(true);
    });

    it.each([
      ['of another hash', signatureOf(body, SECRET, 'RSA-SHA1')],
      ['of another body', signatureOf(`${body} `, SECRET)],
      ['of another key', signatureOf(body, STRANGERS_SECRET)],
      ['in hexadecimal', Buffer.from(good, 'base64').toString('hex')],
      ['in another alphabet', Buffer.from(good, 'base64').toString('base64url')],
      ['with something behind it', `${good} `],
      ['cut short', good.slice(0, -4)],
      ['of nothing', ''],
    ])('is refused %s', (_title, signature) => {
      expect(verify(post(body, signature), SECRET)).toBe(false);
    });

    it('is refused under a key that is not of RSA', () => {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      expect(verify(post(body, signatureOf(body, key)), key)).toBe(false);
    });
  });
});

function statement(line: object) {
  const whole = { line: 'l1', kind: 'charge', reference: 'pay_1', order: 'pay_1', total: '10.00 EUR' };
  return { statement: 'bd_1', closed: page.open_until, lines: [{ ...whole, commission: '0.22 EUR', ...line }] };
}

describe('processor D in its own way', () => {
  const bench = new Bench(SPEC);
  beforeAll(() => bench.start());
  afterAll(() => bench.stop());

  it.each([
    ['no list of lines', { statement: 'bd_1', closed: page.open_until }],
    ['a line of an unknown kind', statement({ kind: 'gift' })],
    ['a commission in another currency', statement({ commission: '0.22 USD' })],
    ['a line without its order', statement({ order: undefined })],
    ['another batch', { ...statement({}), statement: 'bd_2' }],
    ['no time', { ...statement({}), closed: 'today' }],
  ])('takes no statement with %s', async (_title, content) => {
    const report = bench.asking({ body: JSON.stringify(content) }).settlementReport('bd_1');
    await expect(report).rejects.toThrow('cannot be read');
  });

  it.each([
    ['authenticated', true, 'captured'],
    ['authenticated', false, 'authorized'],
    ['failed', true, 'failed'],
  ] as const)('tells what becomes of the page: %s, capture %s', async (outcome, capture, type) => {
    const request = bench.order(MEANS.hosted_page[0], { capture });
    await bench.press(await bench.connector.authorize(request), outcome);
    expect(await bench.event(request.reference, type)).toMatchObject({ money: EUR(1_000n) });
  });
});
