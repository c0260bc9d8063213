import type { AuthorizeRequest, Connector } from '../../../src/domain/connector';
import { RESULT } from '../../../src/domain/result-codes';
import { createStripeConnector } from '../../../src/edge/processors/stripe';
import { RecordedStripe, type Shape, shapeOf } from './recorded-stripe';

/** What the connector sends, and what it makes of the answers. Where stripe-mock can be had, it checks every request. */

const CARD = '4242424242424242';
const trace = { processorReference: 'pi_1' };
const stripe = new RecordedStripe();
let connector: Connector;

beforeAll(async () => {
  await stripe.start();
  connector = createStripeConnector({
    secretKey: 'sk_test_123',
    apiUrl: stripe.url,
    timeoutMs: 2_000,
    returnUrl: 'https://tillway.example/',
  });
}, 240_000);
beforeEach(() => {
  stripe.requests.length = 0;
  stripe.answers = {
    payment_method: (shape) => ({ ...shape, id: 'pm_1' }),
    payment_intent: (shape) => ours(shape, { status: 'succeeded', amount_received: 1000 }),
    payment_intent_search: (shape) => ({ ...shape, data: [] }),
    payment_intent_list: (shape) => ({ ...shape, data: [] }),
    refund: (shape) => ({ ...shape, amount: 400, currency: 'eur', metadata: { reference: 'ref_1' } }),
    dispute: (shape) => ({ ...shape, id: 'du_1', amount: 1000, currency: 'eur', status: 'needs_response' }),
    payout: (shape) => ({ ...shape, id: 'po_1', created: 1_769_860_800 }),
  };
});
afterEach(() => {
  expect(stripe.requests.length).toBeGreaterThan(0);
  expect(stripe.refused()).toEqual([]);
});
afterAll(() => stripe.stop());

const ours = (shape: Shape, members: object): Shape => ({
  ...shape,
  id: 'pi_1',
  amount: 1000,
  currency: 'eur',
  metadata: { reference: 'pay_1' },
  last_payment_error: null,
  next_action: null,
  ...members,
});

const order = (members: Partial<AuthorizeRequest> = {}): AuthorizeRequest => ({
  reference: 'pay_1',
  idempotencyKey: 'payment/pay_1/authorize',
  money: { amountMinor: 1_000n, currency: 'EUR' },
  capture: true,
  threeDS: 'auto',
  instrument: {
    kind: 'card',
    card: { number: CARD, holder: 'A Buyer', expiryMonth: '02', expiryYear: '2040', cvv: '987' },
  },
  ...members,
});

const sent = () => stripe.requests.map(({ call }) => call);
const last = () => stripe.requests.at(-1)!;

test('stripe-mock says what it thinks, or nothing is checked', async () => {
  await connector.authorize(order());
  expect(stripe.requests.every(({ verdict }) => (verdict !== undefined) === stripe.isChecked)).toBe(true);
});

describe('authorize', () => {
  test('the card becomes a payment method, then the payment is made and confirmed, each under a key of its own', async () => {
    expect(await connector.authorize(order())).toMatchObject({ kind: 'captured', processorReference: 'pi_1' });
    expect(sent()).toEqual(['POST /v1/payment_methods', 'POST /v1/payment_intents']);
    const [method, payment] = stripe.requests;
    expect(method!.form).toEqual({
      type: 'card',
      'card[number]': CARD,
      'card[exp_month]': '2',
      'card[exp_year]': '2040',
      'card[cvc]': '987',
      'billing_details[name]': 'A Buyer',
    });
    expect(payment!.form).toEqual({
      amount: '1000',
      currency: 'eur',
      confirm: 'true',
      capture_method: 'automatic',
      payment_method: 'pm_1',
      'allowed_payment_method_types[0]': 'card',
      'payment_method_options[card][request_three_d_secure]': 'automatic',
      error_on_requires_action: 'false',
      'metadata[reference]': 'pay_1',
      return_url: 'https://tillway.example/?paymentId=pay_1',
    });
    expect(stripe.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
      'payment/pay_1/authorize/card',
      'payment/pay_1/authorize',
    ]);
    expect(payment!.headers.authorization).toBe('Bearer sk_test_123');
    expect(payment!.headers['x-stripe-client-telemetry']).toBeUndefined();
  });

  test('everything a merchant may order', async () => {
    stripe.answers.payment_intent = (shape) => ours(shape, { status: 'requires_capture', amount_capturable: 1000 });
    const answer = await connector.authorize(
      order({
        capture: false,
        threeDS: 'required',
        recurring: { initial: true },
        returnUrl: 'https://shop.example/back?cart=1',
        descriptor: '"Shop" <No 1> of Überlingen and more',
        payer: { email: 'buyer@example.org', country: 'DE' },
      }),
    );
    expect(answer).toMatchObject({ kind: 'authorized' });
    expect(stripe.requests[0]!.form).toMatchObject({
      'billing_details[email]': 'buyer@example.org',
      'billing_details[address][country]': 'DE',
    });
    expect(last().form).toMatchObject({
      capture_method: 'manual',
      setup_future_usage: 'off_session',
      statement_descriptor_suffix: 'Shop No 1 of berlingen',
      return_url: 'https://shop.example/back?cart=1&paymentId=pay_1',
      'payment_method_options[card][request_three_d_secure]': 'challenge',
    });
  });

  test('a payment without its payer asks for no challenge', async () => {
    await connector.authorize(order({ recurring: { initial: false, originalReference: 'pay_0' } }));
    expect(last().form).toMatchObject({ off_session: 'true' });
    expect(last().form).not.toHaveProperty('return_url');
    await connector.authorize(order({ threeDS: 'none' }));
    expect(last().form).toMatchObject({ error_on_requires_action: 'true' });
  });

  test('a payment that was declined for want of authentication is confirmed once more: no second one is made', async () => {
    const softDeclined = { processorReference: 'pi_1' };
    const again = order({ threeDS: 'required', softDeclined, idempotencyKey: 'payment/pay_1/authorize/authenticated' });
    expect(await connector.authorize(again)).toMatchObject({ kind: 'captured', processorReference: 'pi_1' });
    expect(sent()).toEqual(['POST /v1/payment_methods', 'POST /v1/payment_intents/pi_1/confirm']);
    expect(last().form).toEqual({
      payment_method: 'pm_1',
      'payment_method_options[card][request_three_d_secure]': 'challenge',
      error_on_requires_action: 'false',
      return_url: 'https://tillway.example/?paymentId=pay_1',
    });
    expect(last().headers['idempotency-key']).toBe('payment/pay_1/authorize/authenticated');
  });

  test('a challenge', async () => {
    const url = 'https://hooks.stripe.com/redirect/authenticate/src_1';
    stripe.answers.payment_intent = (shape) =>
      ours(shape, { status: 'requires_action', next_action: { type: 'redirect_to_url', redirect_to_url: { url } } });
    expect(await connector.authorize(order())).toMatchObject({ kind: 'challenge', action: { url } });
    expect(connector.completeAuthentication).toBeUndefined();
  });

  test('a card that Stripe does not take is declined before there is a payment', async () => {
    stripe.answers.payment_method = () => ({
      status: 402,
      body: { error: { type: 'card_error', code: 'incorrect_number' } },
    });
    expect(await connector.authorize(order())).toMatchObject({ kind: 'declined', code: RESULT.invalidPaymentData });
    expect(sent()).toEqual(['POST /v1/payment_methods']);
  });

  test('a decline names the payment', async () => {
    stripe.answers.payment_intent = (shape) => {
      const payment_intent = ours(shape, { status: 'requires_payment_method' });
      const error = { type: 'card_error', code: 'card_declined', decline_code: 'insufficient_funds', payment_intent };
      return { status: 402, body: { error } };
    };
    expect(await connector.authorize(order())).toMatchObject({
      kind: 'declined',
      code: RESULT.insufficientFunds,
      processorReference: 'pi_1',
    });
  });

  test.each([
    ['the connection breaks', () => 'cut' as const],
    ['Stripe fails', () => ({ status: 500, body: { error: { type: 'api_error' } } })],
  ])('%s: unknown, sent once', async (_, answer) => {
    stripe.answers.payment_intent = answer;
    expect((await connector.authorize(order())).kind).toBe('unknown');
    expect(sent()).toEqual(['POST /v1/payment_methods', 'POST /v1/payment_intents']);
  });

  test.each([
    ['JPY', 1_000n, '1000'],
    ['KWD', 1_230n, '1230'],
    ['ISK', 5n, '500'],
    ['UGX', 5n, '500'],
    ['MGA', 1_000n, '10'],
    ['HUF', 1_045n, '1045'],
    ['EUR', 9_007_199_254_740_993n, '9007199254740993'],
  ])('%s %s is sent as %s', async (currency, amountMinor, amount) => {
    await connector.authorize(order({ money: { amountMinor, currency } }));
    expect(last().form).toMatchObject({ amount, currency: currency.toLowerCase() });
  });
});

describe('operations', () => {
  const money = { amountMinor: 600n, currency: 'EUR' };

  test('capture, in part', async () => {
    stripe.answers.payment_intent = (shape) => ours(shape, { status: 'succeeded', amount_received: 600 });
    const answer = await connector.capture({ reference: 'pay_1', idempotencyKey: 'k', money, trace });
    expect(answer).toMatchObject({ kind: 'captured', money });
    expect(last()).toMatchObject({ call: 'POST /v1/payment_intents/pi_1/capture', form: { amount_to_capture: '600' } });
    expect(last().headers['idempotency-key']).toBe('k');
  });

  test('cancel', async () => {
    stripe.answers.payment_intent = (shape) => ours(shape, { status: 'canceled' });
    expect((await connector.void({ reference: 'pay_1', idempotencyKey: 'k', trace })).kind).toBe('voided');
    expect(last()).toMatchObject({ call: 'POST /v1/payment_intents/pi_1/cancel' });
  });

  test('an operation that the payment does not allow tells how it stands', async () => {
    stripe.answers.payment_intent = (shape) => {
      const payment_intent = ours(shape, { status: 'succeeded', amount_received: 1000 });
      const error = { type: 'invalid_request_error', code: 'payment_intent_unexpected_state', payment_intent };
      return { status: 400, body: { error } };
    };
    const refused = await connector.void({ reference: 'pay_1', idempotencyKey: 'k', trace });
    expect(refused).toMatchObject({ kind: 'refused', standing: { kind: 'captured' } });
  });

  test('refund', async () => {
    const refund = { paymentReference: 'pay_1', refundReference: 'ref_1', idempotencyKey: 'refund/ref_1', trace };
    const four = { amountMinor: 400n, currency: 'EUR' };
    expect(await connector.refund({ ...refund, money: four })).toMatchObject({ kind: 'refunded', money: four });
    expect(last().form).toEqual({
      payment_intent: 'pi_1',
      amount: '400',
      'metadata[reference]': 'ref_1',
      'metadata[payment_reference]': 'pay_1',
    });
    stripe.answers.refund = () => ({
      status: 400,
      body: { error: { type: 'invalid_request_error', code: 'charge_already_refunded' } },
    });
    expect((await connector.refund({ ...refund, money: four })).kind).toBe('refund_declined');
  });

  test('a refund is found among those of its payment', async () => {
    stripe.answers.refund_list = (shape) => ({ ...shape, data: [], has_more: false });
    expect((await connector.inquireRefund('ref_1', trace)).kind).toBe('not_found');
    expect(last().form).toEqual({ payment_intent: 'pi_1', limit: '100' });
    expect((await connector.inquireRefund('ref_1')).kind).toBe('unknown');
  });
});

describe('a payment whose name at Stripe was lost with the answer', () => {
  const sentAt = new Date('2026-01-31T12:00:00.000Z');
  const list = (...data: Shape[]) => ({ ...shapeOf('payment_intent_list'), has_more: false, data });

  test('is searched for by our reference', async () => {
    stripe.answers.payment_intent_search = (shape) => ({
      ...shape,
      data: [ours(shape.data[0], { status: 'processing' })],
    });
    expect((await connector.inquirePayment('pay_1', { sentAt })).kind).toBe('captured');
    expect(stripe.requests[0]!.form).toEqual({ query: "metadata['reference']:'pay_1'" });
    expect(sent()).toEqual(['GET /v1/payment_intents/search', 'GET /v1/payment_intents/pi_1']);
  });

  test('is found in the list where the search is behind', async () => {
    stripe.answers.payment_intent_list = (shape) => list(shape.data[0], ours(shape.data[0], { status: 'succeeded' }));
    expect((await connector.inquirePayment('pay_1', { sentAt })).kind).toBe('captured');
    expect(stripe.requests[1]!.form).toEqual({ 'created[gte]': '1769860680', limit: '100' });
  });

  test('is found by an operation in the same way', async () => {
    stripe.answers.payment_intent_list = (shape) => list(ours(shape.data[0], { status: 'requires_capture' }));
    const money = { amountMinor: 1_000n, currency: 'EUR' };
    const answer = await connector.capture({ reference: 'pay_1', idempotencyKey: 'k', money, trace: { sentAt } });
    expect(answer.kind).toBe('captured');
  });

  test('is not found once the whole list since it was sent does not have it', async () => {
    const pages = [list(shapeOf('payment_intent')), list()];
    pages[0]!.has_more = true;
    stripe.answers.payment_intent_list = () => pages.shift()!;
    expect((await connector.inquirePayment('pay_1', { sentAt })).kind).toBe('not_found');
    expect(pages).toEqual([]);
    expect(connector.inFlightMs).toBeGreaterThan(80_000);
  });

  test('stays unknown while only the search has been asked, or the list cannot be had whole', async () => {
    expect((await connector.inquirePayment('pay_1')).kind).toBe('unknown');
    stripe.answers.payment_intent_list = () => ({ status: 500, body: {} });
    expect((await connector.inquirePayment('pay_1', { sentAt })).kind).toBe('unknown');
    const others = Array.from({ length: 1_000 }, (_, n) => ({ ...shapeOf('payment_intent'), id: `pi_${n}` }));
    stripe.answers.payment_intent_list = () => ({ ...list(...others), has_more: true });
    expect((await connector.inquirePayment('pay_1', { sentAt })).kind).toBe('unknown');
  });

  test('is looked for in the list where an account has no search', async () => {
    stripe.answers.payment_intent_search = () => ({ status: 400, body: { error: { type: 'invalid_request_error' } } });
    expect((await connector.inquirePayment('pay_1', { sentAt })).kind).toBe('not_found');
  });
});

describe('disputes', () => {
  const disputes = () => connector.disputes!;
  const call = { caseId: 'du_1', idempotencyKey: 'dispute/dis_1/dop_1' };
  const at = (status: string) => {
    stripe.answers.dispute = (shape) => ({ ...shape, id: 'du_1', amount: 1000, currency: 'eur', status });
  };
  const document = (name: string) => ({ name, contentType: 'application/pdf', content: Buffer.from(`%PDF-${name}`) });

  test('evidence goes up as files, then to the bank', async () => {
    at('under_review');
    stripe.answers.file = (shape) => ({ ...shape, id: `file_${stripe.requests.length}` });
    const documents = [document('one.pdf'), document('two.pdf')];
    const evidence = { ...call, evidenceReference: 'dop_1', text: 'It was delivered.', documents };
    expect(await disputes().submitEvidence(evidence)).toMatchObject({ kind: 'stands', stage: 'evidence_submitted' });
    expect(sent()).toEqual(['POST /v1/files', 'POST /v1/files', 'POST /v1/disputes/du_1']);
    expect(stripe.requests[0]!.body.toString()).toContain('%PDF-one.pdf');
    expect(stripe.requests.map(({ headers }) => headers['idempotency-key'])).toEqual([
      `${call.idempotencyKey}/file/0`,
      `${call.idempotencyKey}/file/1`,
      call.idempotencyKey,
    ]);
    expect(last().form).toEqual({
      'evidence[uncategorized_text]': 'It was delivered.',
      'evidence[uncategorized_file]': 'file_1',
      'evidence[customer_communication]': 'file_2',
      submit: 'true',
    });
  });

  test('evidence that is not taken is refused, with how the dispute stands', async () => {
    stripe.answers.dispute = (shape, { call: asked }) =>
      asked.startsWith('POST')
        ? { status: 400, body: { error: { type: 'invalid_request_error' } } }
        : { ...shape, id: 'du_1', amount: 1000, currency: 'eur', status: 'lost' };
    const evidence = { ...call, evidenceReference: 'dop_1', text: 'Late.', documents: [] };
    expect(await disputes().submitEvidence(evidence)).toMatchObject({ kind: 'refused', stage: 'lost' });
  });

  test('a second presentment is done with the evidence', async () => {
    at('under_review');
    expect(await disputes().present(call)).toMatchObject({ kind: 'stands', stage: 'presented' });
    at('won');
    expect(await disputes().present(call)).toMatchObject({ kind: 'refused', stage: 'won' });
    expect(sent()).toEqual(['GET /v1/disputes/du_1', 'GET /v1/disputes/du_1']);
    at('needs_response');
    await disputes().present(call);
    expect(last()).toMatchObject({ call: 'POST /v1/disputes/du_1', form: { submit: 'true' } });
  });

  test('giving up closes it', async () => {
    at('lost');
    expect(await disputes().accept(call)).toMatchObject({ kind: 'stands', stage: 'lost' });
    expect(last().call).toBe('POST /v1/disputes/du_1/close');
  });

  test.each([
    ['needs_response', 'open'],
    ['under_review', 'evidence_submitted'],
    ['won', 'won'],
    ['lost', 'lost'],
    ['warning_closed', 'won'],
  ])('%s: %s', async (status, stage) => {
    at(status);
    expect(await disputes().inquire('du_1')).toEqual({
      kind: 'stands',
      stage,
      money: { amountMinor: 1_000n, currency: 'EUR' },
    });
  });

  test('a word nobody knows, another case, and no answer say nothing', async () => {
    at('constructor');
    expect((await disputes().inquire('du_1')).kind).toBe('unknown');
    at('won');
    expect((await disputes().inquire('du_2')).kind).toBe('unknown');
    stripe.answers.dispute = () => 'cut';
    expect((await disputes().accept(call)).kind).toBe('unknown');
    stripe.answers.dispute = () => ({ status: 404, body: { error: { code: 'resource_missing' } } });
    expect((await disputes().inquire('du_1')).kind).toBe('not_found');
  });
});

describe('settlement report', () => {
  const line = (id: string, category: string, amount: number, source: object | null, fee = 0) => ({
    ...shapeOf('balance_transaction_list').data[0],
    id,
    reporting_category: category,
    amount,
    fee,
    currency: 'eur',
    source,
  });
  const lines = (...data: object[]) => ({ ...shapeOf('balance_transaction_list'), has_more: false, data });

  test('the lines of a payout, each by our own name', async () => {
    const charge = { ...shapeOf('charge'), metadata: { reference: 'pay_1' } };
    const refund = { ...shapeOf('refund'), metadata: { reference: 'ref_1', payment_reference: 'pay_1' } };
    const dispute = { ...shapeOf('dispute'), payment_intent: 'pi_1' };
    const strange = { ...shapeOf('charge'), id: 'ch_9', metadata: {}, payment_intent: null };
    stripe.answers.balance_transaction_list = () =>
      lines(
        line('txn_1', 'charge', 1000, charge, 45),
        line('txn_2', 'refund', -400, refund),
        line('txn_3', 'dispute', -1000, dispute, 1500),
        line('txn_4', 'dispute_reversal', 1000, dispute, -1500),
        line('txn_5', 'charge', 700, strange, 30),
        line('txn_6', 'fee', -200, null),
        line('txn_7', 'payout', -155, { object: 'payout', id: 'po_1' }),
      );
    const EUR = (amountMinor: bigint) => ({ amountMinor, currency: 'EUR' });
    const about = { reference: 'pay_1', paymentReference: 'pay_1' };
    expect(await connector.settlementReport('po_1')).toEqual({
      batchId: 'po_1',
      closedAt: '2026-01-31T12:00:00.000Z',
      lines: [
        { lineId: 'txn_1', kind: 'capture', ...about, money: EUR(1_000n), feeMinor: 45n },
        { lineId: 'txn_2', kind: 'refund', ...about, reference: 'ref_1', money: EUR(400n), feeMinor: 0n },
        { lineId: 'txn_3', kind: 'chargeback', ...about, money: EUR(1_000n), feeMinor: 1_500n },
        { lineId: 'txn_4', kind: 'chargeback_reversal', ...about, money: EUR(1_000n), feeMinor: -1_500n },
        {
          lineId: 'txn_5',
          kind: 'capture',
          reference: 'ch_9',
          paymentReference: 'ch_9',
          money: EUR(700n),
          feeMinor: 30n,
        },
      ],
    });
    expect(stripe.requests[1]!.form).toEqual({ payout: 'po_1', limit: '100', 'expand[0]': 'data.source' });
  });

  test('of a payout made by hand, of which Stripe does not say what it is made of, has no lines', async () => {
    stripe.answers.payout = (shape) => ({
      ...shape,
      id: 'po_1',
      automatic: false,
      reconciliation_status: 'not_applicable',
    });
    expect(await connector.settlementReport('po_1')).toMatchObject({ batchId: 'po_1', lines: [] });
  });

  test('the payouts of a time that say what they are made of, oldest first', async () => {
    const payout = (id: string, reconciliation_status: string) => ({ ...shapeOf('payout'), id, reconciliation_status });
    const pages = [
      { has_more: true, data: [payout('po_4', 'in_progress'), payout('po_3', 'completed')] },
      { has_more: false, data: [payout('po_2', 'not_applicable'), payout('po_1', 'completed')] },
    ];
    stripe.answers.payout_list = (shape) => ({ ...shape, ...pages.shift() });
    expect(await connector.settlementBatches('2026-01-31T00:00:00.000Z')).toEqual(['po_1', 'po_3']);
    expect(stripe.requests.map(({ form }) => form)).toEqual([
      { 'created[gte]': '1767225600', status: 'paid', limit: '100' },
      { 'created[gte]': '1767225600', status: 'paid', limit: '100', starting_after: 'po_3' },
    ]);
    stripe.answers.payout_list = () => ({ status: 503, body: {} });
    await expect(connector.settlementBatches('1970-01-01T00:00:00.000Z')).rejects.toThrow('settlement list: ');
  });

  test('is taken whole or not at all', async () => {
    stripe.answers.payout = (shape) => ({ ...shape, id: 'po_1', reconciliation_status: 'in_progress' });
    await expect(connector.settlementReport('po_1')).rejects.toThrow('still puts the payout together');
    stripe.answers.payout = (shape) => ({ ...shape, id: 'po_1' });
    stripe.answers.balance_transaction_list = () => lines(line('txn_1', 'charge', 10.5, shapeOf('charge')));
    await expect(connector.settlementReport('po_1')).rejects.toThrow('txn_1 cannot be read');
    stripe.answers.balance_transaction_list = () => ({ status: 503, body: {} });
    await expect(connector.settlementReport('po_1')).rejects.toThrow('settlement report: the processor answered 503');
    await expect(connector.settlementReport('po_2')).rejects.toThrow('cannot be read');
  });
});
