import { randomUUID } from 'node:crypto';
import { expectPublished } from '../../interop/obie-3.1.11/published';
import { sharedStack } from '../../setup/stack';
import { type Actors, actorsOf, send } from '../client';
import { Transfers } from '../p2p';
import { codesOf, DOMESTIC_PAYMENTS, Initiator, PAYMENT_CONSENTS, paymentTo } from './initiator';

const { credentials, apiUrl } = sharedStack();
const { authUrl, other } = credentials;

let actors: Actors;
let one: Initiator;
let creditor: string;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  one = await Initiator.open(credentials);
  const transfers = new Transfers(actors.tenantAdmin, actors);
  creditor = await transfers.ibanOf(await transfers.member('1.00'));
});
afterAll(() => one?.close());

test('a consent to pay is asked for with a signed request, read again, and answered with signatures', async () => {
  const asked = await one.post(PAYMENT_CONSENTS, paymentTo(creditor));
  expect(asked.status).toBe(201);
  expectPublished('payment-initiation', 'POST /domestic-payment-consents', 201, asked.body);
  expect(asked.body.Data).toMatchObject({ Status: 'AwaitingAuthorisation', ...paymentTo(creditor).Data });
  await one.verify(asked);
  const { ConsentId } = asked.body.Data;
  const read = await one.get(`${PAYMENT_CONSENTS}/${ConsentId}`);
  expect(read.body).toEqual(asked.body);
  await one.verify(read);
});

test('the same key and body get the first answer again, another body is refused', async () => {
  const key = { 'x-idempotency-key': randomUUID() };
  const first = await one.post(PAYMENT_CONSENTS, paymentTo(creditor), key);
  const again = await one.post(PAYMENT_CONSENTS, paymentTo(creditor), key);
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toEqual(first.body);
  const other = await one.post(PAYMENT_CONSENTS, paymentTo(creditor, '11.00'), key);
  expect([other.status, codesOf(other)]).toEqual([400, ['UK.OBIE.Header.Invalid']]);
});

test('six requests at once with one key make one consent', async () => {
  const key = { 'x-idempotency-key': randomUUID() };
  const six = await Promise.all(Array.from({ length: 6 }, () => one.post(PAYMENT_CONSENTS, paymentTo(creditor), key)));
  const made = new Set(six.filter(({ status }) => status === 201).map(({ body }) => body.Data.ConsentId));
  expect(made.size).toBe(1);
});

test('an altered body is refused, and nothing is stored', async () => {
  const altered = await one.postAltered(PAYMENT_CONSENTS, paymentTo(creditor), paymentTo(creditor, '99.00'));
  expect([altered.status, codesOf(altered)]).toEqual([400, ['UK.OBIE.Signature.Invalid']]);
  expectPublished('payment-initiation', 'POST /domestic-payment-consents', 400, altered.body);
});

test.each([
  ['without a signature', { 'x-jws-signature': '' }, 'UK.OBIE.Signature.Missing'],
  ['with half a signature', { 'x-jws-signature': 'abc' }, 'UK.OBIE.Signature.Malformed'],
  ['with a key that is too long', { 'x-idempotency-key': 'k'.repeat(41) }, 'UK.OBIE.Header.Invalid'],
])('%s it is refused', async (_, headers, code) => {
  const refused = await one.post(PAYMENT_CONSENTS, paymentTo(creditor), headers);
  expect([refused.status, codesOf(refused)]).toEqual([400, [code]]);
  expectPublished('payment-initiation', 'POST /domestic-payment-consents', 400, refused.body);
});

test('what could not be paid is refused with the member that is wrong', async () => {
  const refused = await one.post(PAYMENT_CONSENTS, paymentTo('DE89370400440532013000'));
  expect(refused.status).toBe(400);
  expect(refused.body.Errors).toEqual([
    {
      ErrorCode: 'UK.OBIE.Unsupported.AccountIdentifier',
      Message: expect.any(String),
      Path: 'Data.Initiation.CreditorAccount.Identification',
    },
  ]);
});

test('a token of the provider itself pays nothing', async () => {
  const { order } = await one.consent(paymentTo(creditor));
  expect((await one.post(DOMESTIC_PAYMENTS, order)).status).toBe(403);
});

test('a consent of another provider does not exist', async () => {
  const { consentId } = await one.consent(paymentTo(creditor));
  const two = await Initiator.open({ authUrl, tpp: other.tpp });
  try {
    const refused = await two.get(`${PAYMENT_CONSENTS}/${consentId}`);
    expect([refused.status, codesOf(refused)]).toEqual([400, ['UK.OBIE.Resource.NotFound']]);
  } finally {
    two.close();
  }
});

test('the plain port names the entrance', async () => {
  const { status, body } = await send(`${apiUrl}${PAYMENT_CONSENTS}/con_1`);
  expect(status).toBe(401);
  expect(body.message).toContain(authUrl);
});
