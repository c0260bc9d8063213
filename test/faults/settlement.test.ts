import { type Actors, actorsOf, CARDS, outOfBalance, until } from '../e2e/client';
import { type Stack, startStack } from '../setup/stack';
import { auditOf, databaseOf, ready } from './inside';

/** A settlement batch whose worker dies over it, and one that nobody announces. */

let stack: Stack;
let actors: Actors;

beforeAll(async () => {
  stack = await startStack({ env: { RECONCILIATION_EVERY_MS: '2000', SIMULATOR_SETTLEMENT_EVERY_MS: '1000' } });
  actors = await actorsOf(stack.credentials);
}, 120_000);
afterAll(() => stack?.remove(), 30_000);

test('the worker dies over a batch, and another books it', async () => {
  const database = databaseOf(stack);
  try {
    const paymentId = await database.system.transaction(async (trx) => {
      // Nobody can keep a line of a report meanwhile: whoever works on the batch waits here.
      await trx.raw('LOCK TABLE settlement_lines IN SHARE MODE');
      const paid = await actors.merchant.paid(CARDS.visa);
      await until('a worker waits for the lock', async () => {
        const { rows } = await database.ops.raw(
          `SELECT count(*)::integer AS n FROM pg_locks WHERE NOT granted AND relation = 'settlement_lines'::regclass`,
        );
        return rows[0].n > 0;
      });
      const before = stack.pidOf('tillway-worker');
      stack.kill('tillway-worker');
      await until('a new worker', async () => ![undefined, before].includes(stack.pidOf('tillway-worker')));
      return paid.paymentId;
    });
    await ready(stack);
    await actors.merchant.until(paymentId, 'settled');
  } finally {
    await database.close();
  }
}, 90_000);

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
