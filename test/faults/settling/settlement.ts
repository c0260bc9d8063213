import { CARDS, outOfBalance, until } from '../../e2e/client';
import { auditOf, databaseOf, ready } from '../inside';
import { place } from './place';

/** A settlement batch whose worker dies over it, and one that nobody announces. */

afterEach(() => place.actors.simulator.clearFaults());

test('the worker dies over a batch, and another books it', async () => {
  const database = databaseOf(place.stack);
  try {
    const paymentId = await database.system.transaction(async (trx) => {
      // Nobody can keep a line of a report meanwhile: whoever works on the batch waits here.
      await trx.raw('LOCK TABLE settlement_lines IN SHARE MODE');
      const paid = await place.actors.merchant.paid(CARDS.visa);
      await until('a worker waits for the lock', async () => {
        const { rows } = await database.ops.raw(
          `SELECT count(*)::integer AS n FROM pg_locks WHERE NOT granted AND relation = 'settlement_lines'::regclass`,
        );
        return rows[0].n > 0;
      });
      const before = place.stack.pidOf('tillway-worker');
      place.stack.kill('tillway-worker');
      await until('a new worker', async () => ![undefined, before].includes(place.stack.pidOf('tillway-worker')));
      return paid.paymentId;
    });
    await ready(place.stack);
    await place.actors.merchant.until(paymentId, 'settled');
  } finally {
    await database.close();
  }
});

test('announcements are lost, and the money is settled all the same', async () => {
  await place.actors.simulator.fault('callback', 'drop', { times: 100_000 });
  const { paymentId } = await place.actors.merchant.paid(CARDS.visa);
  await place.actors.merchant.until(paymentId, 'settled');
  const run = await until('the run that found it', async () => {
    const { body } = await place.actors.ops.get('/reconciliation/1.0.0/runs?processor=a');
    return body.data.find(({ counts }: { counts?: { recovered: number } }) => (counts?.recovered ?? 0) > 0);
  });
  expect(run).toMatchObject({ startedBy: 'schedule', status: 'done', counts: { missingHere: 0, missingThere: 0 } });
  expect(await outOfBalance(place.actors)).toEqual([]);
  expect((await auditOf(place.stack)).findings).toEqual([]);
});
