import Stripe from 'stripe';
import type { AuthorizeRequest, RawCallback } from '../../../src/domain/connector';
import { RESULT } from '../../../src/domain/result-codes';
import { createStripeConnector } from '../../../src/edge/processors/stripe';
import type { ConnectorSpec } from '../../unit/edge/processors/contract';
import { describeAnswers, describeReceivers } from '../../unit/edge/processors/contract/wire';
import { ScriptedProcessor } from '../../unit/edge/processors/scripted-processor';
import { shapeOf } from './recorded-stripe';

/** What Stripe may write, and what it means: its objects as recorded, with the members that matter here. */

const SECRET = 'whsec_for_tests';
const EUR = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });

const payment = (members: object) => ({
  ...shapeOf('payment_intent'),
  id: 'pi_1',
  amount: 1000,
  currency: 'eur',
  metadata: { reference: 'pay_1' },
  last_payment_error: null,
  next_action: null,
  ...members,
});
const refund = (members: object) => ({
  ...shapeOf('refund'),
  id: 're_1',
  amount: 400,
  currency: 'eur',
  metadata: { reference: 'ref_1', payment_reference: 'pay_1' },
  ...members,
});
const dispute = (members: object) => ({
  ...shapeOf('dispute'),
  id: 'du_1',
  payment_intent: 'pi_1',
  amount: 1000,
  currency: 'eur',
  reason: 'fraudulent',
  ...members,
});
const refunds = (...data: object[]) => JSON.stringify({ ...shapeOf('refund_list'), has_more: false, data });
const refused = (code: string, declineCode?: string, type = 'card_error') =>
  payment({
    status: 'requires_payment_method',
    last_payment_error: { type, code, ...(declineCode ? { decline_code: declineCode } : {}) },
  });
const challenge = (url: unknown) =>
  payment({ status: 'requires_action', next_action: { type: 'redirect_to_url', redirect_to_url: { url } } });
const failure = (error: object) => JSON.stringify({ error: { message: 'about 4242424242424242', ...error } });

const CREATED = 1_769_860_800;
const CREATED_AT = '2026-01-31T12:00:00.000Z';

const signed =
  (body: string, timestamp?: number) =>
  (secret: string): RawCallback => ({
    method: 'POST',
    path: '/callbacks/stripe',
    query: '',
    headers: { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp }) },
    body: Buffer.from(body),
  });

const event = (type: string, object: object, members: object = {}) =>
  signed(JSON.stringify({ ...shapeOf('event'), id: 'evt_1', type, created: CREATED, data: { object }, ...members }));

const told = (
  type: string,
  object: object,
  means: ConnectorSpec['callbacks'][number]['means'],
): ConnectorSpec['callbacks'][number] => ({
  title: `${type} ${JSON.stringify((object as { status?: string }).status ?? '')}`,
  receiver: 'stripe',
  raw: event(type, object),
  means: { eventId: 'evt_1', occurredAt: CREATED_AT, ...means },
});

const scripted = new ScriptedProcessor();
beforeAll(() => scripted.start());
afterAll(() => scripted.stop());

const create: ConnectorSpec['create'] = ({ baseUrl, timeoutMs }) =>
  createStripeConnector({ secretKey: 'sk_test_1', apiUrl: baseUrl, timeoutMs, returnUrl: 'https://tillway.example' });
const asking = (answer: { status?: number; body: string }) => {
  scripted.answer = { status: 200, ...answer };
  return create({ baseUrl: scripted.url, timeoutMs: 5_000 });
};
const { receivers } = create({ baseUrl: 'http://127.0.0.1:1', timeoutMs: 1_000 });

const spec: ConnectorSpec = {
  processor: 'stripe',
  secret: SECRET,
  create,
  errorBody: '{"error":{"type":"invalid_request_error"}}',
  feeMinor: 0n,
  trace: { processorReference: 'pi_1' },
  paymentAnswers: [
    {
      title: 'succeeded',
      body: JSON.stringify(payment({ status: 'succeeded', amount_received: 1000 })),
      means: { kind: 'captured', money: EUR(1_000n), processorReference: 'pi_1' },
    },
    {
      title: 'succeeded in part',
      body: JSON.stringify(payment({ status: 'succeeded', amount_received: 600 })),
      means: { kind: 'captured', money: EUR(600n) },
    },
    {
      title: 'requires_capture',
      body: JSON.stringify(payment({ status: 'requires_capture', amount_capturable: 1000 })),
      means: { kind: 'authorized', money: EUR(1_000n) },
    },
    {
      title: 'requires_action with a page',
      body: JSON.stringify(challenge('https://hooks.stripe.com/3ds')),
      means: {
        kind: 'challenge',
        action: expect.objectContaining({ type: 'redirect', method: 'GET', url: 'https://hooks.stripe.com/3ds' }),
      },
    },
    ...(
      [
        ['insufficient_funds', RESULT.insufficientFunds],
        ['card_velocity_exceeded', RESULT.limitExceeded],
        ['lost_card', RESULT.lostOrStolenCard],
        ['stolen_card', RESULT.lostOrStolenCard],
        ['fraudulent', RESULT.blockedByRiskRule],
        ['generic_decline', RESULT.declined],
        ['constructor', RESULT.declined],
      ] as const
    ).map(([declineCode, code]) => ({
      title: `declined for ${declineCode}`,
      body: JSON.stringify(refused('card_declined', declineCode)),
      means: { kind: 'declined' as const, code, processorReference: 'pi_1' },
    })),
    ...(
      [
        ['expired_card', RESULT.expiredCard],
        ['incorrect_cvc', RESULT.cvvMismatch],
        ['incorrect_number', RESULT.invalidPaymentData],
        ['processing_error', RESULT.declined],
        ['__proto__', RESULT.declined],
      ] as const
    ).map(([code, result]) => ({
      title: `refused with ${code}`,
      body: JSON.stringify(refused(code)),
      means: { kind: 'declined' as const, code: result },
    })),
    {
      title: 'authentication failed',
      body: JSON.stringify(refused('payment_intent_authentication_failure', undefined, 'invalid_request_error')),
      means: { kind: 'authentication_failed' },
    },
    {
      title: 'authentication asked of nobody',
      body: JSON.stringify(refused('authentication_required', 'authentication_required')),
      means: { kind: 'soft_declined' },
    },
    { title: 'canceled', body: JSON.stringify(payment({ status: 'canceled' })), means: { kind: 'voided' } },
    ...['processing', 'requires_confirmation', 'requires_payment_method', 'in_review', 'constructor', '__proto__'].map(
      (status) => ({
        title: `${status}, which is no outcome`,
        body: JSON.stringify(payment({ status, amount_received: 1000 })),
        means: { kind: 'pending' as const },
      }),
    ),
    { title: 'a challenge without a page', body: JSON.stringify(challenge(undefined)), means: { kind: 'unknown' } },
    {
      title: 'a challenge page that is a script',
      body: JSON.stringify(challenge('javascript:alert(1)')),
      means: { kind: 'unknown' },
    },
    {
      title: 'another payment',
      body: JSON.stringify(payment({ status: 'succeeded', amount_received: 1000, metadata: { reference: 'pay_2' } })),
      means: { kind: 'unknown' },
    },
    {
      title: 'an amount that is no whole number',
      body: JSON.stringify(payment({ status: 'succeeded', amount_received: 1000.5 })),
      means: { kind: 'unknown' },
    },
    {
      title: 'an amount as text',
      body: JSON.stringify(payment({ status: 'succeeded', amount: '1000' })),
      means: { kind: 'unknown' },
    },
    {
      title: 'a currency that is none',
      body: JSON.stringify(payment({ status: 'succeeded', currency: 'constructor' })),
      means: { kind: 'unknown' },
    },
    {
      title: 'nothing found',
      status: 404,
      body: failure({ type: 'invalid_request_error', code: 'resource_missing' }),
      means: { kind: 'not_found' },
    },
    ...[401, 403, 429].map((status) => ({
      title: `turned away with ${status}`,
      status,
      body: failure({ type: 'invalid_request_error' }),
      means: { kind: 'unknown' as const },
    })),
  ],
  refundAnswers: [
    {
      title: 'succeeded',
      body: refunds(refund({ id: 're_0', metadata: {} }), refund({ status: 'succeeded' })),
      means: { kind: 'refunded', money: EUR(400n), processorReference: 're_1' },
    },
    ...['failed', 'canceled'].map((status) => ({
      title: status,
      body: refunds(refund({ status })),
      means: { kind: 'refund_declined' as const },
    })),
    ...['pending', 'requires_action', 'constructor'].map((status) => ({
      title: status,
      body: refunds(refund({ status })),
      means: { kind: 'pending' as const },
    })),
    { title: 'none', body: refunds(), means: { kind: 'not_found' } },
    {
      title: 'those of others alone',
      body: refunds(refund({ metadata: {} }), refund({ metadata: { reference: 'ref_2' } })),
      means: { kind: 'not_found' },
    },
    {
      title: 'no such payment',
      status: 404,
      body: failure({ type: 'invalid_request_error', code: 'resource_missing' }),
      means: { kind: 'unknown' },
    },
  ],
  callbacks: [
    told('payment_intent.succeeded', payment({ status: 'succeeded', amount_received: 1000 }), {
      type: 'captured',
      reference: 'pay_1',
      processorReference: 'pi_1',
      processorStatus: 'succeeded',
      money: EUR(1_000n),
    }),
    told('payment_intent.amount_capturable_updated', payment({ status: 'requires_capture', amount_capturable: 1000 }), {
      type: 'authorized',
      reference: 'pay_1',
      money: EUR(1_000n),
    }),
    told('payment_intent.payment_failed', refused('card_declined', 'insufficient_funds'), {
      type: 'failed',
      code: RESULT.insufficientFunds,
    }),
    told('payment_intent.payment_failed', refused('authentication_required'), {
      type: 'failed',
      code: RESULT.authenticationFailed,
      reason: 'The issuer wants the payer to authenticate.',
      isSoft: true,
    }),
    told('payment_intent.payment_failed', refused('payment_intent_authentication_failure'), {
      type: 'authentication_failed',
      reference: 'pay_1',
    }),
    told('payment_intent.canceled', payment({ status: 'canceled' }), { type: 'voided', reference: 'pay_1' }),
    told('payment_intent.processing', payment({ status: 'processing' }), { type: 'processing' }),
    told('payment_intent.requires_action', challenge('https://hooks.stripe.com/3ds'), { type: 'pending' }),
    told('payment_intent.created', payment({ status: 'requires_payment_method' }), { type: 'pending' }),
    told('payment_intent.constructor', payment({ status: 'succeeded' }), { type: 'pending', reference: 'pay_1' }),
    told('payment_intent.succeeded', payment({ status: 'succeeded', amount_received: 1000, metadata: {} }), {
      type: 'captured',
      reference: 'pi_1',
    }),
    told('refund.updated', refund({ status: 'succeeded' }), {
      type: 'refunded',
      reference: 'ref_1',
      processorReference: 're_1',
      money: EUR(400n),
    }),
    told('refund.failed', refund({ status: 'failed' }), { type: 'refund_declined', reference: 'ref_1' }),
    told('refund.created', refund({ status: 'pending' }), { type: 'pending', reference: 'ref_1' }),
    told('refund.updated', refund({ status: 'succeeded', metadata: {} }), { type: 'refunded', reference: 're_1' }),
    told(
      'charge.refunded',
      { ...shapeOf('charge'), metadata: { reference: 'pay_1' } },
      {
        type: 'pending',
        reference: 'pay_1',
      },
    ),
    told('charge.dispute.created', dispute({ status: 'needs_response' }), {
      type: 'charged_back',
      reference: 'pi_1',
      caseId: 'du_1',
      reason: 'fraudulent',
      money: EUR(1_000n),
    }),
    told('charge.dispute.created', dispute({ status: 'warning_needs_response' }), { type: 'pending', caseId: 'du_1' }),
    told('charge.dispute.funds_withdrawn', dispute({ status: 'needs_response' }), { type: 'charged_back' }),
    told('charge.dispute.funds_reinstated', dispute({ status: 'won' }), { type: 'chargeback_won' }),
    told('charge.dispute.funds_reinstated', dispute({ status: 'under_review' }), { type: 'second_presentment' }),
    told('charge.dispute.closed', dispute({ status: 'won' }), { type: 'chargeback_won', money: EUR(1_000n) }),
    told('charge.dispute.closed', dispute({ status: 'lost' }), { type: 'chargeback_lost' }),
    told('charge.dispute.closed', dispute({ status: 'warning_closed' }), { type: 'pending' }),
    told('charge.dispute.updated', dispute({ status: 'won' }), { type: 'pending' }),
    told(
      'payout.paid',
      { ...shapeOf('payout'), id: 'po_1' },
      {
        type: 'settlement_batch',
        batchId: 'po_1',
        reference: 'po_1',
      },
    ),
    told('payout.failed', { ...shapeOf('payout'), id: 'po_1' }, { type: 'pending', reference: 'po_1' }),
    told('customer.created', { id: 'cus_1', object: 'customer' }, { type: 'pending', reference: 'cus_1' }),
  ],
  malformedCallbacks: [
    ...['null', '[]', '{', 'a=b', '{}'].map((body) => ({
      title: `the body ${body}`,
      receiver: 'stripe',
      raw: signed(body),
    })),
    ...[
      ['no id', { id: undefined }],
      ['no type', { type: undefined }],
      ['no object', { data: {} }],
      ['a time that is none', { created: 'now' }],
    ].map(([title, members]) => ({
      title: title as string,
      receiver: 'stripe',
      raw: event('payment_intent.succeeded', payment({ status: 'succeeded' }), members as object),
    })),
    {
      title: 'a payment without an amount',
      receiver: 'stripe',
      raw: event('payment_intent.succeeded', payment({ amount: undefined })),
    },
    { title: 'a refund without a state', receiver: 'stripe', raw: event('refund.failed', refund({ status: 5 })) },
    {
      title: 'a dispute in no currency',
      receiver: 'stripe',
      raw: event('charge.dispute.created', dispute({ currency: 'zzz' })),
    },
    { title: 'a payout without its id', receiver: 'stripe', raw: event('payout.paid', { object: 'payout' }) },
  ],
};

describe('Stripe', () => {
  describeAnswers({ spec, asking });
  describeReceivers({ spec, receivers });

  test('a callback signed more than five minutes ago is refused', () => {
    const body = JSON.stringify({ ...shapeOf('event') });
    const at = (ageS: number) => signed(body, Math.floor(Date.now() / 1_000) - ageS)(SECRET);
    expect(receivers[0]!.verify(at(290), SECRET)).toBe(true);
    expect(receivers[0]!.verify(at(310), SECRET)).toBe(false);
  });

  describe('what becomes of a call that fails', () => {
    const order: AuthorizeRequest = {
      reference: 'pay_1',
      idempotencyKey: 'payment/pay_1/authorize',
      money: EUR(1_000n),
      capture: true,
      threeDS: 'auto',
      instrument: {
        kind: 'card',
        card: { number: '4242424242424242', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2040', cvv: '987' },
      },
    };

    test.each([
      [401, { type: 'invalid_request_error' }, 'not_charged'],
      [403, { type: 'invalid_request_error' }, 'not_charged'],
      [429, { type: 'invalid_request_error', code: 'rate_limit' }, 'not_charged'],
      [429, { type: 'invalid_request_error', code: 'lock_timeout' }, 'unknown'],
      [409, { type: 'idempotency_error', code: 'idempotency_key_in_use' }, 'unknown'],
      [400, { type: 'idempotency_error' }, 'unknown'],
      [400, { type: 'invalid_request_error', code: 'parameter_invalid_integer' }, 'declined'],
      [402, { type: 'card_error', code: 'card_declined', decline_code: 'lost_card' }, 'declined'],
      [500, { type: 'api_error' }, 'unknown'],
      [503, { type: 'api_error' }, 'unknown'],
    ])('%i %j: %s', async (status, error, kind) => {
      const answer = await asking({ status, body: failure(error) }).authorize(order);
      expect(answer.kind).toBe(kind);
      expect(JSON.stringify(answer)).not.toMatch(/4242|987/);
    });

    test.each([
      ['refused', 'http://127.0.0.1:1'],
      ['to a host that does not exist', 'http://nowhere.invalid'],
    ])('a connection %s charged nothing, but answers no question', async (_, baseUrl) => {
      const nobody = create({ baseUrl, timeoutMs: 5_000 });
      expect((await nobody.authorize(order)).kind).toBe('not_charged');
      expect((await nobody.inquirePayment('pay_1', spec.trace)).kind).toBe('unknown');
      expect((await nobody.inquirePayment('pay_1', { sentAt: new Date() })).kind).toBe('unknown');
      expect((await nobody.inquireRefund('ref_1', spec.trace)).kind).toBe('unknown');
      await expect(nobody.settlementReport('po_1')).rejects.toThrow('settlement report: ');
    });
  });
});
