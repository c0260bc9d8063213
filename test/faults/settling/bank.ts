import { runBank } from '../../../bench/chaos/bank';
import { placeOf } from '../../../bench/chaos/place';
import { place } from './place';

// Long enough for each process to be killed once; `npm run chaos -- bank` goes on for as long as one likes.
const DURATION_MS = 45_000;

test(
  'fault 20: twenty clients move money between eight accounts while a process is killed every ten seconds',
  async () => {
    const report = await runBank(placeOf(place.stack), { durationMs: DURATION_MS, killEveryMs: 10_000 });
    expect(report.problems).toEqual([]);
    expect(report.endings).toMatchObject({ settled: expect.any(Number), declined: expect.any(Number) });
    expect(Object.keys(report.kills).sort()).toEqual(['postgres', 'temporal', 'tillway-api', 'tillway-worker']);
    // How many depends on how soon Postgres is back.
    expect(report.readings).toBeGreaterThan(0);
  },
  4 * DURATION_MS + 60_000,
);
