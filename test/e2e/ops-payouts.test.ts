import { sharedStack } from '../setup/stack';
import { type Actors, actorsOf, type Caller, type Json, outOfBalance, secondOperator, until } from './client';
import { ACCOUNTS, Seller } from './sellers';

/** What operators see of payouts and payment links, and what they do about payouts. */

const { credentials } = sharedStack();
const LIST = '/ops/1.0.0/payouts';
let actors: Actors;
/** Two operators. */
let ann: Caller;
let bob: Caller;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  ann = actors.ops;
  bob = await secondOperator(actors);
});
afterAll(async () => expect(await outOfBalance(actors)).toEqual([]));

/** A payout of a seller with this account. */
async function paidOut(iban: string, amount = '10.00') {
  const shop = await Seller.create(credentials, actors, iban);
  await shop.sold(amount);
  const { payoutId } = (await shop.payOut()).body;
  return { shop, payoutId };
}
const listed = async (shop: Seller): Promise<Json[]> =>
  (await ann.get(`${LIST}?organizationId=${shop.organizationId}`)).body.data;
const act = (operator: Caller, payoutId: string, what: string, body?: object) =>
  operator.post(`${LIST}/${payoutId}/${what}`, body);

test('one that was refused is listed with why and what to do, until an operator closes it', async () => {
  const { shop, payoutId } = await paidOut(ACCOUNTS.refused);
  const [row] = await listed(shop);
  expect(row).toMatchObject({ payoutId, problem: 'refused', workflowId: `payout/${payoutId}`, status: 'failed' });
  expect(row.detail).toContain('there is no such account');
  expect(row.whatToDo).toContain('another account');
  expect((await act(ann, payoutId, 'close')).status).toBe(400);
  expect((await act(ann, payoutId, 'ask-again', { reason: 'x' })).status).toBe(409);
  const closed = (await act(ann, payoutId, 'close', { reason: 'The seller was called.' })).body;
  expect(closed).not.toHaveProperty('problem');
  expect(await listed(shop)).toEqual([]);
  expect((await ann.get(`${LIST}/${payoutId}`)).body).toMatchObject({ payoutId, tenantId: credentials.tenantId });
});

test('one that came back is listed; one that is under way is asked about', async () => {
  const { shop, payoutId } = await paidOut(ACCOUNTS.comesBack);
  await shop.become(payoutId, 'returned');
  expect(await listed(shop)).toMatchObject([{ payoutId, problem: 'returned' }]);
  const silent = await paidOut(ACCOUNTS.neverAnswers);
  const asked = await act(ann, silent.payoutId, 'ask-again', { reason: 'The seller asks.' });
  expect([200, 409]).toContain(asked.status);
  await silent.shop.become(silent.payoutId, 'settled');
});

test('money that is back without a word of the processor: above the limit two operators say so', async () => {
  const { shop, payoutId } = await paidOut(ACCOUNTS.settles, '1000.01');
  await shop.become(payoutId, 'settled');
  const reason = { reason: 'The bank told us, case 4711.' };
  const proposed = await act(ann, payoutId, 'mark-returned', reason);
  expect(proposed.body).toMatchObject({ status: 'settled', proposal: reason });
  expect((await act(ann, payoutId, 'confirm')).status).toBe(403);
  expect((await act(bob, payoutId, 'withdraw', { reason: 'wait' })).body).not.toHaveProperty('proposal');
  expect((await act(bob, payoutId, 'confirm')).status).toBe(409);
  await act(bob, payoutId, 'mark-returned', reason);
  const confirmed = (await act(ann, payoutId, 'confirm')).body;
  expect(confirmed).toMatchObject({ status: 'returned', proposal: { confirmedBy: credentials.clients.ops.clientId } });
  expect((await shop.balance()).available).toBe('1000.01');
});

test('only operators see them; a payment link names its workflow, and not its address', async () => {
  const { shop, payoutId } = await paidOut(ACCOUNTS.settles);
  for (const caller of [shop.merchant, actors.tenantAdmin]) {
    expect((await caller.get(LIST)).status).toBe(403);
    expect((await act(caller, payoutId, 'mark-returned', { reason: 'x' })).status).toBe(403);
  }
  const gift = { amount: { min: '5.00', max: '500.00' }, currency: 'EUR', title: 'A gift' };
  const { linkId, url } = (await shop.merchant.post('/payment-links/1.0.0/links', gift)).body;
  const query = `/ops/1.0.0/payment-links?organizationId=${shop.organizationId}`;
  const { body } = await ann.get(query);
  expect(body.data).toMatchObject([{ linkId, workflowId: `payment-link/${linkId}`, status: 'active' }]);
  expect(JSON.stringify(body)).not.toContain(url.split('/').at(-1));
  await until('nothing is overdue', async () => (await ann.get(`${query}&overdue=true`)).body.data.length === 0);
  expect((await shop.merchant.get('/ops/1.0.0/payment-links')).status).toBe(403);
});
