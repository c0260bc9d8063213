import type { Database } from '../../src/foundation/db/database';
import { type Actors, actorsOf, CAPTURED, CARDS, challenge, type Json, receiptsOf, until } from '../e2e/client';
import { type Stack, startStack } from '../setup/stack';
import { auditOf, databaseOf } from './inside';

/** What a payment goes through after its card has left the vault. */

const DISPUTES = '/disputes/1.0.0/disputes';
let stack: Stack;
let actors: Actors;
let database: Database;

beforeAll(async () => {
  stack = await startStack({ env: { PROCESSOR_TIMEOUT_MS: '800', PROCESSOR_IN_FLIGHT_MS: '1500' } });
  actors = await actorsOf(stack.credentials);
  database = databaseOf(stack);
});
afterAll(async () => {
  await database?.close();
  await stack?.remove();
}, 30_000);

/** The card of a payment as the vault has it. */
const cardOf = (paymentId: string): Promise<{ sealed: Buffer; erased_at: Date | null }> =>
  database
    .system('vault_cards')
    .whereIn('id', database.system('payments').where({ id: paymentId }).select('card_id'))
    .first();
const isGone = async (paymentId: string): Promise<boolean> => {
  const { sealed, erased_at } = await cardOf(paymentId);
  return sealed.length === 0 && erased_at !== null;
};
const disputeOf = (paymentId: string): Promise<Json> =>
  until('the dispute', async () => (await actors.merchant.get(`${DISPUTES}?paymentId=${paymentId}`)).body.data[0]);

test('capture, partial refunds, a chargeback and its second presentment need no card', async () => {
  const { merchant, simulator } = actors;
  const { paymentId } = await merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']);
  expect(await isGone(paymentId)).toBe(true);
  expect((await merchant.capture(paymentId, { amount: '9.00' })).body.data.amounts.captured).toBe('9.00');
  for (const amount of ['1.00', '2.00']) expect((await merchant.refund(paymentId, { amount })).status).toBe(201);
  const refunded = await until('both refunds', async () => {
    const data = await merchant.status(paymentId);
    return data.amounts.refunded === '3.00' && data;
  });
  expect(refunded.card ?? refunded).toMatchObject({ last4Digits: '1111' });

  const disputed = (await merchant.paid(CARDS.visa)).paymentId;
  expect(await isGone(disputed)).toBe(true);
  await simulator.callback({ reference: disputed, event: 'charged_back' });
  const { disputeId } = await disputeOf(disputed);
  expect((await merchant.post(`${DISPUTES}/${disputeId}/evidence`, { text: 'Delivered, see the note.' })).status).toBe(
    201,
  );
  expect((await merchant.post(`${DISPUTES}/${disputeId}/second-presentment`)).body.secondPresentment).toBe('submitted');
  await until('it is won', async () => (await disputeOf(disputed)).status === 'won');
  expect(CAPTURED).toContain((await merchant.status(disputed)).transactionStatus);
});

test('a hold is released without it, and a declined payment leaves none', async () => {
  const { merchant } = actors;
  const { paymentId } = await merchant.paid(CARDS.visa, { capture: 'manual' }, ['authorized']);
  expect((await merchant.cancel(paymentId)).body.data.transactionStatus).toBe('cancelled');
  const declined = (await merchant.pay(CARDS.declined)).body.data.paymentId;
  expect([await isGone(paymentId), await isGone(declined)]).toEqual([true, true]);
});

test('while the payer or the processor has not answered it stays, and goes with the answer', async () => {
  const { merchant, simulator } = actors;
  const asked = (await merchant.pay(CARDS.visa, { threeDS: 'required' })).body.data;
  expect(await isGone(asked.paymentId)).toBe(false);
  await challenge(asked.action.url, 'authenticated');
  await merchant.until(asked.paymentId, ...CAPTURED);
  await simulator.fault('authorize', 'close_after');
  const silent = (await merchant.pay(CARDS.visa)).body.data.paymentId;
  await merchant.until(silent, ...CAPTURED);
  expect([await isGone(asked.paymentId), await isGone(silent)]).toEqual([true, true]);
});

test('money that the processor charges late goes back without it', async () => {
  const { merchant, simulator } = actors;
  await simulator.fault('authorize', 'delay', { delayMs: 4_000 });
  const { paymentId } = (await merchant.pay(CARDS.visa)).body.data;
  await merchant.until(paymentId, 'failed');
  expect(await isGone(paymentId)).toBe(true);
  const returned = await until('the money went back', async () => {
    const [receipt] = await receiptsOf(actors, paymentId);
    return receipt?.status === 'returned' && receipt;
  });
  expect(returned.amount).toBe('10.00');
});

test('a saved card stays, and pays again', async () => {
  const { merchant } = actors;
  const { paymentId, cardToken } = await merchant.paid(CARDS.mastercard, { storeCard: true });
  expect(await isGone(paymentId)).toBe(false);
  const again = (await merchant.pay(undefined, { cardToken })).body.data;
  expect([CAPTURED.includes(again.transactionStatus), await isGone(again.paymentId)]).toEqual([true, false]);
});

test('no card is left that nothing needs, and the books are in order', async () => {
  const { rows } = await database.system.raw(
    "SELECT id FROM vault_cards WHERE erased_at IS NULL AND NOT vault_card_kept(id) AND NOT vault_card_awaited(id, '-infinity')",
  );
  expect(rows).toEqual([]);
  expect((await auditOf(stack)).findings).toEqual([]);
});
