import Stripe from 'stripe';
import { type Actors, actorsOf, CARDS, type Json, outOfBalance, send, until } from '../../e2e/client';
import { type Stack, startStack } from '../../setup/stack';
import { RecordedStripe, type Shape, type StripeRequest, shapeOf } from './recorded-stripe';

/** A platform with Stripe switched on, from a merchant's order to the payout. */

const WEBHOOK_SECRET = 'whsec_for_tests';
const stripe = new RecordedStripe();
/** The payments that Stripe has made, by its id. */
const payments = new Map<string, Shape>();
let stack: Stack;
let actors: Actors;

beforeAll(async () => {
  await stripe.start();
  stripe.answers = {
    payment_method: (shape) => ({ ...shape, id: 'pm_1' }),
    payment_intent: (_, request) => (request.form.confirm ? make(request) : existing(request)),
    payment_intent_search: (shape) => ({ ...shape, data: [] }),
    payment_intent_list: (shape) => ({ ...shape, has_more: false, data: [...payments.values()] }),
    refund: (shape, { form }) => ({
      ...shape,
      id: 're_1',
      amount: Number(form.amount),
      currency: 'eur',
      status: 'succeeded',
      metadata: metadataOf(form),
    }),
  };
  const env = {
    STRIPE_SECRET_KEY: 'sk_test_123',
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_API_URL: stripe.url,
    PROCESSOR_INQUIRY_FIRST_MS: '300',
    CALLBACK_RETRY_FIRST_MS: '200',
  };
  stack = await startStack({ env });
  actors = await actorsOf(stack.credentials);
  const rules = { rules: [{ name: 'euro', kinds: ['card'], currencies: ['EUR'], processors: ['stripe'] }] };
  const { status } = await send(`${stack.apiUrl}/routing/1.0.0/rules`, {
    method: 'PUT',
    headers: actors.tenantAdmin.headers,
    body: rules,
  });
  expect(status).toBe(200);
  await until('the rule holds', async () => (await pay()).processorIs === 'Stripe');
}, 240_000);
afterAll(async () => {
  expect(stripe.refused()).toEqual([]);
  const differences = actors && (await outOfBalance(actors));
  await stack?.remove();
  await stripe.stop();
  expect(differences).toEqual([]);
});

const metadataOf = (form: Record<string, string>) => ({
  reference: form['metadata[reference]'],
  payment_reference: form['metadata[payment_reference]'],
});

function make({ form }: StripeRequest): Shape {
  const id = `pi_${payments.size + 1}`;
  const amount = Number(form.amount);
  const made = {
    ...shapeOf('payment_intent'),
    id,
    amount,
    amount_received: amount,
    currency: form.currency,
    status: 'succeeded',
    metadata: metadataOf(form),
    last_payment_error: null,
    next_action: null,
  };
  payments.set(id, made);
  return made;
}

const existing = ({ call }: StripeRequest): Shape => payments.get(call.split('/')[3]!)!;
const atStripe = (paymentId: string) =>
  [...payments.values()].filter(({ metadata }) => metadata.reference === paymentId);

async function pay(): Promise<{ processorIs: 'Stripe' | 'another'; record: Json }> {
  const { body } = await actors.merchant.pay(CARDS.visa);
  return { processorIs: atStripe(body.data.paymentId).length > 0 ? 'Stripe' : 'another', record: body.data };
}

/** What Stripe's webhook says, signed with its own SDK. */
async function tell(type: string, object: object, secret = WEBHOOK_SECRET): Promise<number> {
  const event = { ...shapeOf('event'), id: `evt_${Math.random()}`, type, data: { object } };
  const payload = JSON.stringify({ ...event, created: Math.floor(Date.now() / 1_000) });
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
  const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
  return (await send(`${stack.apiUrl}/callbacks/stripe`, { method: 'POST', headers, body: payload })).status;
}

test('a payment, and its refund', async () => {
  const { processorIs, record } = await pay();
  expect([processorIs, record.transactionStatus]).toEqual(['Stripe', 'captured']);
  expect((await actors.merchant.refund(record.paymentId, { amount: '4.00' })).status).toBe(201);
  expect(await actors.merchant.until(record.paymentId, 'partially_refunded')).toMatchObject({
    amounts: { refunded: '4.00' },
  });
});

test('an answer that is lost is found in the list, and the payment is made once', async () => {
  const { payment_intent: answer } = stripe.answers;
  stripe.answers.payment_intent = (shape, request) => {
    stripe.answers.payment_intent = answer!;
    answer!(shape, request);
    return 'cut';
  };
  const { processorIs, record } = await pay();
  expect([processorIs, record.transactionStatus]).toEqual(['Stripe', 'pending']);
  await actors.merchant.until(record.paymentId, 'captured');
  expect(atStripe(record.paymentId)).toHaveLength(1);
});

test('a dispute names its payment by the id that Stripe gave it', async () => {
  const { record } = await pay();
  const [{ id }] = atStripe(record.paymentId) as [Shape];
  const dispute = { ...shapeOf('dispute'), id: 'du_1', payment_intent: id, amount: 1000, currency: 'eur' };
  expect(await tell('charge.dispute.created', { ...dispute, status: 'needs_response' }, 'whsec_of_others')).toBe(401);
  expect((await actors.merchant.status(record.paymentId)).transactionStatus).toBe('captured');
  expect(await tell('charge.dispute.created', { ...dispute, status: 'needs_response' })).toBe(200);
  await actors.merchant.until(record.paymentId, 'charged_back');
});

test('a payout settles what it pays, net of what it costs', async () => {
  const { record } = await pay();
  const charge = { ...shapeOf('charge'), metadata: { reference: record.paymentId } };
  const [line] = shapeOf('balance_transaction_list').data;
  const capture = { reporting_category: 'charge', amount: 1000, fee: 45, currency: 'eur', source: charge };
  stripe.answers.payout = (shape) => ({ ...shape, id: 'po_1' });
  stripe.answers.balance_transaction_list = (shape) => ({
    ...shape,
    has_more: false,
    data: [{ ...line, id: 'txn_1', ...capture }],
  });
  expect(await tell('payout.paid', { ...shapeOf('payout'), id: 'po_1' })).toBe(200);
  await actors.merchant.until(record.paymentId, 'settled');
});
