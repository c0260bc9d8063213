import { createHmac } from 'node:crypto';
import type { Instrument, RawCallback } from '../../../../src/domain/connector';
import { RESULT } from '../../../../src/domain/result-codes';
import { apiKeyFor } from '../../../../src/edge/processors/credentials';
import { createConnectorE } from '../../../../src/edge/processors/e';
import { isSignedNow } from '../../../../src/edge/processors/e/signature';
import { describeConnector } from './contract';
import { Bench, EUR } from './contract/bench';
import { MEANS } from './contract/means';
import type { ConnectorSpec } from './contract/spec';

const SECRET = 'secret of processor e';
const tenEuros = { value: '10.00', ccy: 'EUR' };
const mandate = { mandateId: 'mnd_1', sequence: 'FRST', dueAt: '2030-01-02T00:00:00.000Z' };
const payment = (members: object) =>
  JSON.stringify({ payment: { paymentId: 'pe_1', endToEndId: 'pay_1', amount: tenEuros, ...members } });
const credit = (members: object) =>
  JSON.stringify({
    creditTransfer: { transferId: 're_1', creditId: 'ref_1', amount: { value: '4.00', ccy: 'EUR' }, ...members },
  });

const nowSeconds = () => Math.floor(Date.now() / 1_000);
const v1 = (body: string, secret: string, seconds: number) =>
  createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
const post = (name: string, body: string, signature: string): RawCallback => ({
  method: 'POST',
  path: `/callbacks/${name}`,
  query: '',
  headers: { 'content-type': 'application/json', 'processor-signature': signature },
  body: Buffer.from(body),
});
const signed = (name: string, body: string, secret: string, seconds = nowSeconds()) =>
  post(name, body, `t=${seconds},v1=${v1(body, secret, seconds)}`);
const json = (event: string, about: object) =>
  JSON.stringify({
    eventId: 'evt_1',
    event,
    createdAt: '2026-01-31T12:00:00.000Z',
    about: { endToEndId: 'pay_1', paymentId: 'pe_1', amount: tenEuros, ...about },
  });
const callback = (event: string, type: string, about: object = {}, means: object = {}) => ({
  title: `${event} ${JSON.stringify(about)}`,
  receiver: 'processor_e',
  raw: (secret: string) => signed('processor_e', json(event, about), secret),
  means: {
    eventId: 'evt_1',
    reference: 'pay_1',
    type: type as 'captured',
    processorStatus: event,
    processorReference: 'pe_1',
    money: EUR(1_000n),
    occurredAt: '2026-01-31T12:00:00.000Z',
    ...means,
  },
});
const malformed = (title: string, body: string) => ({
  title,
  receiver: 'processor_e',
  raw: (secret: string) => signed('processor_e', body, secret),
});

const CARD_REASONS = [
  ['05', RESULT.declined],
  ['14', RESULT.invalidPaymentData],
  ['41', RESULT.lostOrStolenCard],
  ['43', RESULT.lostOrStolenCard],
  ['51', RESULT.insufficientFunds],
  ['54', RESULT.expiredCard],
  ['59', RESULT.blockedByRiskRule],
  ['61', RESULT.limitExceeded],
  ['N7', RESULT.cvvMismatch],
] as const;
const DEBIT_REASONS = [
  ['AC01', RESULT.invalidPaymentData],
  ['AC04', RESULT.declined],
  ['AC06', RESULT.declined],
  ['AG01', RESULT.declined],
  ['AM02', RESULT.limitExceeded],
  ['AM04', RESULT.insufficientFunds],
  ['MD01', RESULT.declined],
  ['MD06', RESULT.declined],
  ['MS02', RESULT.declined],
  ['MS03', RESULT.declined],
] as const;
const REASONS = [
  ...CARD_REASONS,
  ...DEBIT_REASONS,
  ['XX99', RESULT.declined],
  ['constructor', RESULT.declined],
] as const;

const SPEC: ConnectorSpec = {
  processor: 'e',
  secret: SECRET,
  feeMinor: 7n,
  create: (options) => createConnectorE({ ...options, apiKey: apiKeyFor(SECRET) }),
  paymentAnswers: [
    { title: 'held', body: payment({ status: 'held' }), means: { kind: 'authorized', money: EUR(1_000n) } },
    ...['booked', 'paid_out', 'credited_in_part', 'credited', 'disputed', 'returned'].map((status) => ({
      title: status,
      body: payment({ status, booked: tenEuros }),
      means: { kind: 'captured' as const, money: EUR(1_000n), processorReference: 'pe_1' },
    })),
    ...[
      ['mandate_accepted', /^Mandate mnd_1 accepted; the debtor is being notified .* 2030-01-02\.$/],
      ['pre_notified', /^Mandate mnd_1 accepted; pre-notified, collected on 2030-01-02\.$/],
      ['submitted', /^Mandate mnd_1 accepted; submitted .* 2030-01-02\.$/],
    ].map(([status, detail]) => ({
      title: `${status}, with its mandate`,
      body: payment({ status, mandate }),
      means: { kind: 'pending' as const, detail: expect.stringMatching(detail!), expectedBy: mandate.dueAt },
    })),
    ...REASONS.map(([reasonCode, code]) => ({
      title: `rejected for ${reasonCode}`,
      body: payment({ status: 'rejected', reasonCode }),
      means: { kind: 'declined' as const, code },
    })),
    { title: 'revoked', body: payment({ status: 'revoked' }), means: { kind: 'voided' } },
    ...['in_progress', 'BOOKED', 'constructor', '__proto__'].map((status) => ({
      title: `the unknown status ${status}`,
      body: payment({ status, booked: tenEuros }),
      means: { kind: 'pending' as const, detail: 'The processor works on it.' },
    })),
    { title: 'a call refused', status: 409, body: payment({ status: 'revoked' }), means: { kind: 'voided' } },
    { title: 'booked without an amount', body: payment({ status: 'booked' }), means: { kind: 'unknown' } },
    {
      title: 'a due date that is none',
      body: payment({ status: 'submitted', mandate: { ...mandate, dueAt: 'soon' } }),
      means: { kind: 'pending', detail: 'The processor works on it.' },
    },
    { title: 'a status that is a number', body: payment({ status: 1 }), means: { kind: 'unknown' } },
    {
      title: 'another payment',
      body: payment({ status: 'booked', booked: tenEuros, endToEndId: 'pay_2' }),
      means: { kind: 'unknown' },
    },
    ...[{ value: '10.0', ccy: 'EUR' }, { value: 10, ccy: 'EUR' }, { value: '10.00', ccy: 'XXZ' }, '10.00 EUR'].map(
      (amount) => ({
        title: `the amount ${JSON.stringify(amount)}`,
        body: payment({ status: 'held', amount }),
        means: { kind: 'unknown' as const },
      }),
    ),
    { title: 'not found', status: 404, body: '{}', means: { kind: 'not_found' } },
    { title: 'a wrong key', status: 401, body: '{}', means: { kind: 'unknown' } },
  ],
  refundAnswers: [
    { title: 'booked', body: credit({ status: 'ACSC' }), means: { kind: 'refunded', money: EUR(400n) } },
    { title: 'rejected', body: credit({ status: 'RJCT' }), means: { kind: 'refund_declined' } },
    { title: 'pending', body: credit({ status: 'PDNG' }), means: { kind: 'pending' } },
    { title: 'the unknown status constructor', body: credit({ status: 'constructor' }), means: { kind: 'pending' } },
    { title: 'another credit', body: credit({ status: 'ACSC', creditId: 'ref_2' }), means: { kind: 'unknown' } },
    { title: 'not found', status: 404, body: '{}', means: { kind: 'not_found' } },
  ],
  callbacks: [
    callback('payment.held', 'authorized'),
    callback('payment.booked', 'captured'),
    callback('payment.paid_out', 'settled'),
    callback('payment.revoked', 'voided'),
    callback('payment.disputed', 'charged_back', { caseId: 'case_1' }, { caseId: 'case_1' }),
    callback('dispute.represented', 'second_presentment'),
    callback('dispute.won', 'chargeback_won'),
    callback('dispute.lost', 'chargeback_lost'),
    callback('collection.pre_notified', 'processing', { mandate }, { reason: expect.stringContaining('mnd_1') }),
    callback('collection.submitted', 'processing', { mandate }, { reason: expect.stringContaining('2030-01-02') }),
    callback('collection.submitted', 'processing', {}, { reason: undefined }),
    callback(
      'collection.returned',
      'returned',
      { reasonCode: 'MD06', caseId: 'case_1' },
      { caseId: 'case_1', reason: 'MD06: the debtor asked for the money back.' },
    ),
    ...REASONS.map(([reasonCode, code]) => callback('payment.rejected', 'failed', { reasonCode }, { code })),
    callback('payment.in_progress', 'pending'),
    callback('constructor', 'pending'),
    ...(['credit.booked', 'credit.rejected'] as const).map((event) =>
      callback(
        event,
        event === 'credit.booked' ? 'refunded' : 'refund_declined',
        { creditId: 'ref_1', transferId: 're_1', amount: { value: '4.00', ccy: 'EUR' } },
        { reference: 'ref_1', processorReference: 're_1', money: EUR(400n) },
      ),
    ),
    {
      title: 'a statement',
      receiver: 'processor_e',
      raw: (secret) =>
        signed('processor_e', '{"eventId":"evt_1","event":"statement.ready","about":{"statementId":"be_1"}}', secret),
      means: { type: 'settlement_batch', reference: 'be_1', batchId: 'be_1', money: undefined },
    },
    {
      title: 'the outcome of a wallet payment',
      receiver: 'processor_eh2h',
      raw: (secret) => signed('processor_eh2h', json('payment.booked', {}), secret),
      means: { type: 'captured', reference: 'pay_1', money: EUR(1_000n) },
    },
  ],
  malformedCallbacks: [
    malformed('no JSON', '{'),
    malformed('a list', '[]'),
    malformed('no event', '{"eventId":"evt_1","about":{"endToEndId":"pay_1"}}'),
    malformed('no event id', '{"event":"payment.booked","about":{"endToEndId":"pay_1"}}'),
    malformed('nothing it is about', '{"eventId":"evt_1","event":"payment.booked"}'),
    malformed('no reference', '{"eventId":"evt_1","event":"payment.booked","about":{}}'),
    malformed('a credit without its id', json('credit.booked', {})),
    malformed('a statement without its id', json('statement.ready', {})),
    malformed('an amount without a currency', json('payment.booked', { amount: { value: '10.00' } })),
    malformed('an amount in a number', json('payment.booked', { amount: { value: 10, ccy: 'EUR' } })),
    malformed(
      'a time that is none',
      '{"eventId":"evt_1","event":"payment.booked","createdAt":"now","about":{"endToEndId":"pay_1"}}',
    ),
  ],
};

describe('processor E', () => {
  describeConnector(SPEC);
});

describe('a signature that says when it was made', () => {
  const BODY = '{"eventId":"evt_1"}';
  const now = nowSeconds();
  const good = v1(BODY, SECRET, now);
  const verified = (header: string) => isSignedNow(post('processor_e', BODY, header), SECRET, now * 1_000);

  it.each([-300, -299, 0, 299, 300])('is good %i seconds away', (away) => {
    const callback = signed('processor_e', BODY, SECRET, now + away);
    expect(isSignedNow(callback, SECRET, now * 1_000)).toBe(true);
  });

  it.each([-86_400, -301, 301, 86_400])('is not good %i seconds away', (away) => {
    const callback = signed('processor_e', BODY, SECRET, now + away);
    expect(isSignedNow(callback, SECRET, now * 1_000)).toBe(false);
  });

  it('may stand beside other schemes, in any order, with spaces', () => {
    expect(verified(`v0=abc, v1=${good}, t=${now}`)).toBe(true);
  });

  it.each([
    ['another time than was signed', `t=${now + 1},v1=${good}`],
    ['no time', `v1=${good}`],
    ['no signature', `t=${now}`],
    ['another scheme', `t=${now},v0=${good}`],
    ['two times', `t=${now},t=${now},v1=${good}`],
    ['two signatures', `t=${now},v1=${'0'.repeat(64)},v1=${good}`],
    ['a time that is no number', `t=${now}.0,v1=${good}`],
    ['a negative time', `t=-${now},v1=${good}`],
    ['a time in exponents', `t=1e9,v1=${good}`],
    ['a time beyond counting', `t=${'9'.repeat(400)},v1=${good}`],
    ['a signature cut short', `t=${now},v1=${good.slice(0, 32)}`],
    ['nothing', ''],
  ])('is refused with %s', (_title, header) => {
    expect(verified(header)).toBe(false);
  });
});

describe('how processor E calls', () => {
  const bench = new Bench(SPEC);
  beforeAll(() => bench.start());
  afterAll(() => bench.stop());

  it('tells outcomes of wallet payments, and only those, at a receiver of their own', async () => {
    const { reference } = await bench.paid();
    for (const event of ['captured', 'settled', 'charged_back']) await bench.tell(reference, event);
    expect(bench.sink.about('processor_eh2h', reference)).toHaveLength(1);
    expect(bench.sink.about('processor_e', reference)).toHaveLength(2);
    const debit = await bench.paid({}, MEANS.direct_debit[0]);
    await bench.event(debit.reference, 'captured');
    expect(bench.sink.about('processor_eh2h', debit.reference)).toEqual([]);
  });

  it('signs every try anew', async () => {
    bench.sink.status = 503;
    const request = bench.cardOrder('4000000000006975');
    await bench.impatient.authorize(request);
    const tries = await bench.sink.expect('processor_eh2h', request.reference, 3);
    bench.sink.status = 200;
    // The pauses between three tries add up to more than a second.
    expect(new Set(tries.map(({ body }) => body.toString())).size).toBe(1);
    expect(new Set(tries.map(({ headers }) => headers['processor-signature'])).size).toBeGreaterThan(1);
    const [receiver] = bench.connector.receivers;
    for (const raw of tries) expect(receiver?.verify(raw, SECRET)).toBe(true);
  });
});

describe('direct debits by processor E', () => {
  const bench = new Bench(SPEC);
  beforeAll(() => bench.start());
  afterAll(() => bench.stop());

  const means = MEANS.direct_debit[0]!;
  const from = (iban: string, overrides: object = {}): Instrument => {
    if (means.instrument.kind !== 'direct_debit') throw new Error('no direct debit');
    return { kind: 'direct_debit', mandate: { ...means.instrument.mandate, iban, ...overrides } };
  };
  const collect = async (instrument: Instrument) => {
    const request = bench.order(means, { instrument });
    return { request, accepted: await bench.connector.authorize(request) };
  };

  it('are pre-notified, submitted, collected', async () => {
    const { request, accepted } = await collect(means.instrument);
    expect(accepted).toMatchObject({ kind: 'pending', detail: expect.stringContaining('man_1') });
    await bench.event(request.reference, 'captured');
    const told = bench.events().filter(({ reference }) => reference === request.reference);
    expect(told.map(({ processorStatus }) => processorStatus)).toEqual([
      'collection.pre_notified',
      'collection.submitted',
      'payment.booked',
    ]);
    expect(told[0]?.reason).toMatch(/^Mandate man_1 accepted; pre-notified, collected on \d{4}-\d\d-\d\d\.$/);
  });

  it.each([
    ['DE25370400440000000095', RESULT.insufficientFunds, 'AM04'],
    ['DE57370400440000000004', RESULT.declined, 'AC04'],
    ['DE41370400440000000001', RESULT.declined, 'MD01'],
  ])('from %s fail when they are collected, with %i', async (iban, code, reason) => {
    const { request, accepted } = await collect(from(iban));
    expect(accepted.kind).toBe('pending');
    const failed = await bench.event(request.reference, 'failed');
    expect(failed).toMatchObject({ code, reason: expect.stringContaining(reason) });
    expect(await bench.connector.inquirePayment(request.reference)).toMatchObject({ kind: 'declined', code });
    expect(await bench.chargesOf(request.reference)).toMatchObject([{ status: 'failed', captured: '0.00' }]);
  });

  it('are returned, by the account that does it or because somebody orders it', async () => {
    const { request } = await collect(from('DE03370400440000000006'));
    const returned = { money: EUR(1_000n), caseId: expect.any(String), reason: expect.stringContaining('MD06') };
    expect(await bench.event(request.reference, 'returned')).toMatchObject(returned);
    const other = await bench.paid({}, means);
    await bench.tell(other.reference, 'charged_back');
    expect(await bench.event(other.reference, 'returned')).toMatchObject(returned);
    expect(await bench.chargesOf(other.reference)).toMatchObject([{ status: 'charged_back' }]);
  });

  it('take no account number that is none', async () => {
    for (const iban of ['DE89370400440532013001', 'de89370400440532013000', 'DE89'])
      expect((await collect(from(iban))).accepted).toMatchObject({
        kind: 'declined',
        code: RESULT.invalidPaymentData,
      });
  });

  it('can be revoked until they are submitted, and not after', async () => {
    const { request } = await collect(means.instrument);
    const revoke = (reference: string) =>
      bench.connector.void({ reference, idempotencyKey: `payment/${reference}/void` });
    expect((await revoke(request.reference)).kind).toBe('voided');
    expect((await bench.connector.inquirePayment(request.reference)).kind).toBe('voided');
    const refused = await bench
      .asking({ status: 409, body: payment({ status: 'submitted', mandate }) })
      .void({ reference: 'pay_1', idempotencyKey: 'v' });
    expect(refused).toMatchObject({ kind: 'refused', detail: expect.stringContaining("debtor's bank") });
  });

  it('are given back by credit transfer, in part', async () => {
    const request = await bench.paid({}, means);
    const refund = bench.refundOf(request, 400n);
    expect(await bench.connector.refund(refund)).toMatchObject({ kind: 'refunded', money: EUR(400n) });
    expect(await bench.chargesOf(request.reference)).toMatchObject([{ refunded: '4.00' }]);
  });
});
