import { PayoutDesk, type PayoutProblem } from '../../../../src/commerce/payouts/desk';
import { PAYOUT_FLOW } from '../../../../src/commerce/payouts/flow';
import type { PayoutRow } from '../../../../src/commerce/payouts/payout';
import { proceedPayout } from '../../../../src/commerce/payouts/steps';
import type { Engine } from '../../../../src/foundation/temporal/engine';
import type { SeededTenant } from '../../../../src/sandbox/seed/tenants';
import { loneEngine } from '../../../setup/lone-engine';
import { World } from './world';

/** What operators do about payouts, with the engine itself and no worker: nobody carries out what flows are told. */

const LIMIT = 1_000n;
const one = { id: 'operator one', source: '127.0.0.1', requestId: 'req_1' };
const other = { ...one, id: 'operator two' };

let world: World;
let engine: Engine;
let desk: PayoutDesk;

beforeAll(async () => {
  world = await World.open('payout_desk');
  engine = await loneEngine();
  desk = new PayoutDesk({ database: world.database, ledger: world.ledger, engine }, LIMIT);
}, 60_000);
afterEach(async () => {
  world.sending = ({ money }) => ({ kind: 'accepted', processorReference: 'ts_1', money });
  expect(await world.findings()).toEqual([]);
});
afterAll(async () => {
  await engine?.close();
  await world?.close();
});

const proceed = ({ id, tenant_id: tenantId }: PayoutRow) =>
  proceedPayout(world.paying, { payoutId: id, tenantId }, 0, new Date());

/** A payout that is at its processor, and the seller whose it is. */
async function out(amountMinor: bigint): Promise<{ payout: PayoutRow; seller: SeededTenant }> {
  const seller = await world.seller();
  await world.paid(seller, amountMinor);
  const payout = await world.ordered(seller);
  await proceed(payout);
  return { payout, seller };
}
const waits = async (problem: PayoutProblem, id: string) =>
  (await desk.list({ limit: 200, problem })).some((row) => row.id === id);
const balance = (seller: SeededTenant) => world.balance(seller, 'merchant_payable');

test('one that is refused waits for an operator until one has seen to it', async () => {
  world.sending = () => ({ kind: 'declined', detail: 'no such account' });
  const { payout } = await out(500n);
  expect(await waits('refused', payout.id)).toBe(true);
  expect(await waits('outcome_unknown', payout.id)).toBe(false);
  await expect(desk.askAgain(payout.id, 'why?', one)).rejects.toMatchObject({ code: 'invalid_state' });
  await expect(desk.markReturned(payout.id, 'it is back', one)).rejects.toMatchObject({ code: 'invalid_state' });
  await desk.close(payout.id, 'the seller names another account', one);
  expect(await waits('refused', payout.id)).toBe(false);
  await expect(desk.close(payout.id, 'again', other)).rejects.toMatchObject({ code: 'invalid_state' });
  const [line] = await world.database.system('audit_log').where({ target: payout.id, action: 'payouts.close_review' });
  expect(line).toMatchObject({ actor: one.id, detail: { reason: 'the seller names another account' } });
});

test('its processor is asked again: the flow is told, and the row says when', async () => {
  const { payout } = await out(500n);
  const before = await world.row(payout.id);
  const asked = await desk.askAgain(payout.id, 'the seller asks', one);
  expect(asked.look_at!.getTime()).toBeLessThan(before.look_at!.getTime());
  const { status } = await engine.client.workflow.getHandle(PAYOUT_FLOW.id(asked)).describe();
  expect(status.name).toBe('RUNNING');
});

test('one that came back without a word of its processor goes back into the balance, once', async () => {
  const { payout, seller } = await out(LIMIT);
  const tries = await Promise.allSettled(
    Array.from({ length: 6 }, (_, n) => desk.markReturned(payout.id, 'the bank says so', n % 2 ? one : other)),
  );
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await world.row(payout.id)).toMatchObject({ status: 'returned', review_since: null });
  expect(await balance(seller)).toBe(LIMIT);
  expect(await world.balance(seller, 'payout_clearing')).toBe(0n);
});

test('above the limit it takes another operator; a proposal can be taken back', async () => {
  const { payout, seller } = await out(LIMIT + 1n);
  expect(await desk.markReturned(payout.id, 'the bank says so', one)).toMatchObject({ status: 'sent' });
  expect(await balance(seller)).toBe(0n);
  await expect(desk.markReturned(payout.id, 'so say I', other)).rejects.toMatchObject({ code: 'invalid_state' });
  await expect(desk.confirmReturn(payout.id, one)).rejects.toMatchObject({ code: 'forbidden' });
  await desk.withdrawReturn(payout.id, 'it was another one', one);
  await expect(desk.confirmReturn(payout.id, other)).rejects.toMatchObject({ code: 'invalid_state' });
  await desk.markReturned(payout.id, 'now it is', one);
  const agreed = await Promise.allSettled([desk.confirmReturn(payout.id, other), desk.confirmReturn(payout.id, other)]);
  expect(agreed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await world.row(payout.id)).toMatchObject({ status: 'returned', return_confirmed_by: other.id });
  expect(await balance(seller)).toBe(LIMIT + 1n);
});

test('one that was credited can be marked too; while an answer of the processor comes, it is booked once', async () => {
  const { payout, seller } = await out(700n);
  world.inquiry = () => ({
    kind: 'settled',
    processorReference: 'ts_1',
    money: { amountMinor: 700n, currency: 'EUR' },
  });
  await Promise.allSettled([desk.markReturned(payout.id, 'the bank says so', one), proceed(payout)]);
  const row = await world.row(payout.id);
  if (row.status === 'settled') await desk.markReturned(payout.id, 'the bank says so', one);
  expect((await world.row(payout.id)).status).toBe('returned');
  expect(await balance(seller)).toBe(700n);
  world.inquiry = () => ({ kind: 'not_found' });
});

test('the database refuses one operator who is both', async () => {
  const { payout } = await out(LIMIT + 1n);
  await desk.markReturned(payout.id, 'the bank says so', one);
  const both = world.database.system('payouts').where({ id: payout.id }).update({ return_confirmed_by: one.id });
  await expect(both).rejects.toMatchObject({ constraint: 'payouts_return_by_two' });
});
