import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import type { RawCallback } from '../../../../src/domain/connector';
import { parseMerchantCode, readObjects } from '../../../../src/domain/emv-qr';
import { RESULT } from '../../../../src/domain/result-codes';
import { apiKeyFor } from '../../../../src/edge/processors/credentials';
import { createConnectorF } from '../../../../src/edge/processors/f';
import { receivers } from '../../../../src/edge/processors/f/callback';
import { describeConnector } from './contract';
import { Bench, pageOf } from './contract/bench';
import { MEANS } from './contract/means';
import type { ConnectorSpec } from './contract/spec';

const pemOf = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const SECRET = pemOf('P-256');
const EUR = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });
const tenEuros = { value: '1000', currency: 'EUR' };

const order = (members: object) =>
  JSON.stringify({ order: { orderId: 'pf_1', merchantReference: 'pay_1', amount: tenEuros, ...members } });
const refund = (members: object) =>
  JSON.stringify({
    refund: {
      refundId: 'rf_1',
      merchantReference: 'ref_1',
      amount: { value: '400', currency: 'EUR' },
      ...members,
    },
  });
const page = 'https://f.example/p';
const deadline = '2030-01-01T00:00:00.000Z';
const waiting = (members: object) => order({ state: 'AwaitingPayer', nextStep: { page, deadline, ...members } });

const base64 = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const jws = (claims: object | string, key: string, header: object = { alg: 'ES256' }) => {
  const signed = `${base64(header)}.${base64(claims)}`;
  const privateKey = key.startsWith('-----') ? createPrivateKey(key) : createPrivateKey(pemOf('P-256'));
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
};
const post = (body: string): RawCallback => ({
  method: 'POST',
  path: '/callbacks/processor_f',
  query: '',
  headers: { 'content-type': 'application/jose' },
  body: Buffer.from(body),
});
const claims = (event: string, data: object = {}) => ({
  jti: 'evt_1',
  iat: 1_769_860_800,
  event,
  data: { merchantReference: 'pay_1', amount: tenEuros, ...data },
});
const callback = (event: string, type: string, data: object = {}, means: object = {}) => ({
  title: event,
  receiver: 'processor_f',
  raw: (secret: string) => post(jws(claims(event, data), secret)),
  means: {
    eventId: 'evt_1',
    reference: 'pay_1',
    type: type as 'captured',
    processorStatus: event,
    money: EUR(1_000n),
    occurredAt: '2026-01-31T12:00:00.000Z',
    ...means,
  },
});
const malformed = (title: string, content: object | string) => ({
  title,
  receiver: 'processor_f',
  raw: (secret: string) => post(jws(content, secret)),
});

const SPEC: ConnectorSpec = {
  processor: 'f',
  secret: SECRET,
  strangersSecret: pemOf('P-256'),
  feeMinor: 9n,
  create: (options) => createConnectorF({ ...options, apiKey: apiKeyFor(SECRET) }),
  paymentAnswers: [
    ...['Succeeded', 'PaidOut', 'PartlyRefunded', 'Refunded', 'Disputed'].map((state) => ({
      title: state,
      body: order({ state, captured: tenEuros }),
      means: { kind: 'captured' as const, money: EUR(1_000n) },
    })),
    {
      title: 'AwaitingPayer, by redirect',
      body: waiting({ method: 'Redirect' }),
      means: {
        kind: 'payer_action',
        action: { type: 'redirect', method: 'GET', url: page, expiresAt: deadline },
      },
    },
    {
      title: 'AwaitingPayer, by voucher',
      body: waiting({ method: 'Voucher', voucherNumber: '123' }),
      means: {
        kind: 'payer_action',
        action: {
          type: 'instructions',
          url: page,
          expiresAt: deadline,
          fields: { voucherNumber: '123', amount: '10.00', currency: 'EUR' },
        },
      },
    },
    {
      title: 'AwaitingPayer, by UPI collect request',
      body: waiting({ method: 'UpiCollect', vpa: 'buyer@bank' }),
      means: {
        kind: 'payer_action',
        action: {
          type: 'instructions',
          url: page,
          expiresAt: deadline,
          fields: { vpa: 'buyer@bank', amount: '10.00', currency: 'EUR' },
        },
      },
    },
    ...(
      [
        ['a voucher without its number', { method: 'Voucher' }],
        ['a link that is none of UPI', { method: 'UpiIntent', upiUri: 'javascript:alert(1)' }],
        ['a code without its merchant', { method: 'EmvCode' }],
        [
          'a merchant that fits into no code',
          {
            method: 'EmvCode',
            merchant: {
              guid: 'g',
              merchantId: 'm',
              categoryCode: '5399',
              name: 'x'.repeat(26),
              city: 'c',
              country: 'IE',
              orderNumber: 'o',
            },
          },
        ],
        ['a method nobody knows', { method: 'constructor' }],
        ['a page that is a script', { method: 'Redirect', page: 'javascript:alert(1)' }],
      ] as const
    ).map(([title, members]) => ({ title, body: waiting(members), means: { kind: 'unknown' as const } })),
    ...(
      [
        ['DeclinedByBank', RESULT.declined],
        ['NotEnoughMoney', RESULT.insufficientFunds],
        ['LimitReached', RESULT.limitExceeded],
        ['RiskRule', RESULT.blockedByRiskRule],
        ['PayerRefused', RESULT.declined],
        ['UnknownPayer', RESULT.invalidPaymentData],
        ['constructor', RESULT.declined],
      ] as const
    ).map(([rejection, code]) => ({
      title: `Rejected for ${rejection}`,
      body: order({ state: 'Rejected', rejection }),
      means: { kind: 'declined' as const, code },
    })),
    ...['Withdrawn', 'Lapsed'].map((state) => ({
      title: state,
      body: order({ state }),
      means: { kind: 'voided' as const },
    })),
    ...['Processing', 'succeeded', 'constructor', '__proto__', 'toString'].map((state) => ({
      title: `the unknown word ${state}`,
      body: order({ state, captured: tenEuros }),
      means: { kind: 'pending' as const },
    })),
    {
      title: 'a refused operation, with the order',
      status: 409,
      body: order({ state: 'Withdrawn' }),
      means: { kind: 'voided' },
    },
    { title: 'succeeded without an amount', body: order({ state: 'Succeeded' }), means: { kind: 'unknown' } },
    { title: 'waiting for nothing', body: order({ state: 'AwaitingPayer' }), means: { kind: 'unknown' } },
    {
      title: 'another payment',
      body: order({ state: 'Withdrawn', merchantReference: 'pay_2' }),
      means: { kind: 'unknown' },
    },
    ...[1000, '10.00', '-1', '01', ''].map((value) => ({
      title: `the amount ${JSON.stringify(value)}`,
      body: order({ state: 'Withdrawn', amount: { value, currency: 'EUR' } }),
      means: { kind: 'unknown' as const },
    })),
    { title: 'nothing found', status: 404, body: '{}', means: { kind: 'not_found' } },
    { title: 'a wrong key', status: 401, body: '{}', means: { kind: 'unknown' } },
  ],
  refundAnswers: [
    { title: 'Completed', body: refund({ state: 'Completed' }), means: { kind: 'refunded', money: EUR(400n) } },
    { title: 'Failed', body: refund({ state: 'Failed' }), means: { kind: 'refund_declined' } },
    { title: 'InProgress', body: refund({ state: 'InProgress' }), means: { kind: 'pending' } },
    { title: 'the unknown word constructor', body: refund({ state: 'constructor' }), means: { kind: 'pending' } },
    {
      title: 'another refund',
      body: refund({ state: 'Completed', merchantReference: 'ref_2' }),
      means: { kind: 'unknown' },
    },
    { title: 'nothing found', status: 404, body: '{}', means: { kind: 'not_found' } },
  ],
  callbacks: [
    callback('order.reserved', 'authorized'),
    callback('order.succeeded', 'captured', { orderId: 'pf_1' }, { processorReference: 'pf_1' }),
    callback('order.processing', 'processing'),
    callback('order.paid_out', 'settled'),
    callback('order.withdrawn', 'voided'),
    callback('order.lapsed', 'voided'),
    callback('order.rejected', 'failed', { reason: 'NotEnoughMoney' }, { code: RESULT.insufficientFunds }),
    callback('refund.completed', 'refunded', { merchantReference: 'ref_1' }, { reference: 'ref_1' }),
    callback('refund.failed', 'refund_declined', { merchantReference: 'ref_1' }, { reference: 'ref_1' }),
    callback('dispute.opened', 'charged_back', { disputeId: 'case_1' }, { caseId: 'case_1' }),
    callback('dispute.represented', 'second_presentment', { disputeId: 'case_1' }, { caseId: 'case_1' }),
    callback('dispute.won', 'chargeback_won', { disputeId: 'case_1' }, { caseId: 'case_1' }),
    callback('dispute.lost', 'chargeback_lost', { disputeId: 'case_1' }, { caseId: 'case_1' }),
    callback('order.reviewed', 'pending'),
    callback('constructor', 'pending'),
    {
      title: 'payout.closed',
      receiver: 'processor_f',
      raw: (secret) => post(jws({ jti: 'evt_2', event: 'payout.closed', data: { payoutId: 'bf_1' } }, secret)),
      means: { type: 'settlement_batch', batchId: 'bf_1', reference: 'bf_1', eventId: 'evt_2' },
    },
  ],
  malformedCallbacks: [
    ...['[]', 'null', '{', 'a=b'].map((content) => malformed(`the payload ${content}`, content)),
    malformed('no event id', { ...claims('order.succeeded'), jti: undefined }),
    malformed('no event', { ...claims('order.succeeded'), event: undefined }),
    malformed('no data', { ...claims('order.succeeded'), data: [] }),
    malformed('no reference', claims('order.succeeded', { merchantReference: undefined })),
    malformed('an amount that is none', claims('order.succeeded', { amount: { value: 1, currency: 'EUR' } })),
    malformed('a time that is none', { ...claims('order.succeeded'), iat: 'now' }),
    malformed('a payout without its id', claims('payout.closed')),
  ],
};

describe('processor F', () => {
  describeConnector(SPEC);

  describe('the signature', () => {
    const { verify } = receivers[0]!;
    const good = jws(claims('order.succeeded'), SECRET);
    const [head = '', payload = '', signature = ''] = good.split('.');
    const jwk = createPublicKey(SECRET).export({ format: 'jwk' });

    it('is checked with the public key as well', () => {
      const publicKey = createPublicKey(SECRET).export({ type: 'spki', format: 'pem' }).toString();
      expect(verify(post(good), publicKey)).toBe(true);
    });

    it.each([
      ['no algorithm', `${base64({ alg: 'none' })}.${payload}.`],
      ['no algorithm, with a signature', jws(claims('order.succeeded'), SECRET, { alg: 'none' })],
      ['another algorithm', jws(claims('order.succeeded'), SECRET, { alg: 'HS256' })],
      ['no header', `.${payload}.${signature}`],
      ['a key of its own', jws(claims('order.succeeded'), SECRET, { alg: 'ES256', jwk })],
      ['a key from elsewhere', jws(claims('order.succeeded'), SECRET, { alg: 'ES256', jku: 'https://f.example/k' })],
      ['a certificate', jws(claims('order.succeeded'), SECRET, { alg: 'ES256', x5c: ['MIIB'] })],
      ['a certificate from elsewhere', jws(claims('order.succeeded'), SECRET, { alg: 'ES256', x5u: 'https://f' })],
      ['a critical extension', jws(claims('order.succeeded'), SECRET, { alg: 'ES256', crit: ['b64'], b64: false })],
      ['another payload', `${head}.${base64(claims('order.rejected'))}.${signature}`],
      ['a padded signature', `${good}==`],
      [
        'a signature in another alphabet',
        `${head}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`,
      ],
      ['a signature cut short', good.slice(0, -2)],
      ['a fourth part', `${good}.${signature}`],
      ['two parts', `${head}.${payload}`],
      ['nothing', ''],
    ])('is refused with %s', (_title, body) => {
      expect(verify(post(body), SECRET)).toBe(false);
    });

    it('is refused under a key of another curve', () => {
      const other = pemOf('secp256k1');
      expect(verify(post(jws(claims('order.succeeded'), other)), other)).toBe(false);
    });
  });

  describe('codes and links', () => {
    const bench = new Bench(SPEC);
    beforeAll(() => bench.start());
    afterAll(() => bench.stop());

    const ask = async (kind: 'upi' | 'qr', index: number) => {
      const request = bench.order(MEANS[kind][index], { descriptor: 'Tea & biscuits' });
      const answer = await bench.connector.authorize(request);
      if (answer.kind !== 'payer_action') throw new Error(answer.kind);
      return { request, answer, action: answer.action };
    };
    const scan = async (code: string) => {
      const body = new URLSearchParams({ code });
      const response = await fetch(`${bench.simulatorUrl}/f/scan`, { method: 'POST', body, redirect: 'manual' });
      return { status: response.status, location: response.headers.get('location') };
    };

    it('shows an EMV code that the payer can scan and pay', async () => {
      const { request, answer, action } = await ask('qr', 0);
      expect(action).toMatchObject({ type: 'qr', fields: { amount: '10.00', currency: 'EUR' } });
      const payload = action.fields?.payload ?? '';
      const objects = parseMerchantCode(payload);
      expect(objects?.get('54')).toBe('10.00');
      expect(readObjects(objects?.get('62') ?? '')?.get('05')).toMatch(/^[0-9A-F]{20}$/);
      expect(await scan(payload)).toEqual({ status: 303, location: pageOf(answer) });
      await bench.press(answer, 'authenticated');
      expect((await bench.connector.inquirePayment(request.reference)).kind).toBe('captured');
      expect((await scan(payload)).status).toBe(410);
    });

    it('gives a UPI app a link, and a page to the sandbox', async () => {
      const { request, answer, action } = await ask('upi', 1);
      expect(action).toMatchObject({
        type: 'redirect',
        url: expect.stringMatching(/^upi:\/\/pay\?pa=/),
        fields: { payeeVpa: expect.stringContaining('@'), amount: '10.00', currency: 'INR' },
      });
      const parameters = new URL(action.url ?? '').searchParams;
      expect(parameters.get('am')).toBe('10.00');
      expect(parameters.get('tn')).toBe('Tea & biscuits');
      expect(parameters.get('tr')).toBe(action.fields?.orderNumber);
      expect(await scan(action.url ?? '')).toEqual({ status: 303, location: pageOf(answer) });
      expect((await bench.connector.inquirePayment(request.reference)).kind).toBe('payer_action');
    });

    it('makes a code of the same link', async () => {
      const { answer, action } = await ask('upi', 2);
      expect(action.type).toBe('qr');
      expect(await scan(action.fields?.payload ?? '')).toEqual({ status: 303, location: pageOf(answer) });
    });

    it('reads no code that was changed', async () => {
      const { action } = await ask('qr', 0);
      const payload = action.fields?.payload ?? '';
      expect((await scan(payload.replace('540510.00', '540501.00'))).status).toBe(400);
      expect((await scan('nothing')).status).toBe(400);
      const link = (await ask('upi', 1)).action.url ?? '';
      expect((await scan(link.replace('am=10.00', 'am=01.00'))).status).toBe(409);
    });

    it('asks for rupees only with UPI', async () => {
      const answer = await bench.connector.authorize(bench.order(MEANS.upi[0], { money: EUR(1_000n) }));
      expect(answer).toMatchObject({ kind: 'declined', code: RESULT.invalidPaymentData });
    });
  });
});
