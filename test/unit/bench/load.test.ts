import { setTimeout as sleep } from 'node:timers/promises';
import { closedLoop, median } from '../../../bench/load';

test('a loop counts from the end of its first call, and goes on until all others have counted', async () => {
  const running = { now: 0, most: 0 };
  const measured = await closedLoop(3, 50, async () => {
    running.now += 1;
    running.most = Math.max(running.most, running.now);
    await sleep(10);
    running.now -= 1;
  });
  expect(running).toEqual({ now: 0, most: 3 });
  expect(measured).toMatchObject({ errors: 0, count: expect.any(Number) });
  expect(measured.count).toBeGreaterThanOrEqual(3);
});

test('a call that takes longer than the time is counted whole', async () => {
  let calls = 0;
  const { count, perSecond } = await closedLoop(1, 1, async () => {
    calls += 1;
    await sleep(20);
  });
  expect([calls, count]).toEqual([2, 1]);
  expect(perSecond).toBeGreaterThan(0);
});

test('failures are counted beside what succeeded; when all fail, the last error is told', async () => {
  let calls = 0;
  const some = await closedLoop(1, 30, async () => {
    calls += 1;
    await sleep(5);
    if (calls % 2) throw new Error('every other');
  });
  expect(some.errors).toBeGreaterThan(0);
  expect(some.count).toBeGreaterThan(0);
  await expect(closedLoop(2, 10, () => sleep(2).then(() => Promise.reject(new Error('refused'))))).rejects.toThrow(
    'nothing succeeded: refused',
  );
});

test('of several rounds each figure is the middle one by itself, and no error is left out', () => {
  const round = (perSecond: number, p50: number, p99: number, errors = 0) => ({
    perSecond,
    p50,
    p99,
    errors,
    count: 400,
  });
  expect(median([round(200, 9, 110), round(199, 8, 40, 2), round(198, 14, 45)])).toEqual(round(199, 9, 45, 2));
});
