import { type Actors, actorsOf, CARDS, outOfBalance, until } from '../e2e/client';
import { type Stack, startStack } from '../setup/stack';
import { auditOf } from './inside';

/** A settlement batch that nobody announces: the scheduled reconciliation finds and books it. */

let stack: Stack;
let actors: Actors;

beforeAll(async () => {
  stack = await startStack({ env: { RECONCILIATION_EVERY_MS: '2000', SIMULATOR_SETTLEMENT_EVERY_MS: '1000' } });
  actors = await actorsOf(stack.credentials);
}, 120_000);
afterAll(() => stack?.remove(), 30_000);

test('announcements are lost, and the money is settled all the same', async () => {
  await actors.simulator.fault('callback', 'drop', { times: 100_000 });
  const { paymentId } = await actors.merchant.paid(CARDS.visa);
  await actors.merchant.until(paymentId, 'settled');
  const run = await until('the run that found it', async () => {
    const { body } = await actors.ops.get('/reconciliation/1.0.0/runs?processor=a');
    return body.data.find(({ counts }: { counts?: { recovered: number } }) => (counts?.recovered ?? 0) > 0);
  });
  expect(run).toMatchObject({ startedBy: 'schedule', status: 'done', counts: { missingHere: 0, missingThere: 0 } });
  expect(await outOfBalance(actors)).toEqual([]);
  expect((await auditOf(stack)).findings).toEqual([]);
}, 90_000);
