import { runBank } from '../../bench/chaos/bank';
import { placeOf } from '../../bench/chaos/place';
import { type Stack, startStack } from '../setup/stack';

const TWO_MINUTES = 120_000;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ env: { LOG_LEVEL: 'warn', API_RATE_LIMIT_PER_SECOND: '100000' } });
}, 120_000);
afterAll(() => stack?.remove(), 30_000);

test(
  'fault 20: twenty clients move money between eight accounts while a process is killed every ten seconds',
  async () => {
    const report = await runBank(placeOf(stack), { durationMs: TWO_MINUTES, killEveryMs: 10_000 });
    expect(report.problems).toEqual([]);
    expect(report.endings).toMatchObject({ settled: expect.any(Number), declined: expect.any(Number) });
    expect(Object.keys(report.kills).sort()).toEqual(['postgres', 'temporal', 'tillway-api', 'tillway-worker']);
    expect(report.readings).toBeGreaterThan(100);
  },
  4 * TWO_MINUTES,
);
