import { pauseAfter } from '../../../../src/edge/notifications/retry-pauses';
import { signatureOf } from '../../../../src/edge/notifications/signature';
import { loadConfig } from '../../../../src/foundation/config/config';

const { schedule } = loadConfig({}).notifications;

/** When each try takes place, in milliseconds after the first. */
function tries(chance: number): number[] {
  const times = [0];
  for (let attempts = 1; ; attempts += 1) {
    const pause = pauseAfter(attempts, schedule, chance);
    if (pause === undefined) return times;
    times.push(times.at(-1)! + pause);
  }
}

test.each([0, 0.5, 0.999])(
  'at least eight tries over more than a day, the first three within a minute (chance %p)',
  (chance) => {
    const times = tries(chance);
    expect(times.length).toBeGreaterThanOrEqual(8);
    expect(times[2]).toBeLessThanOrEqual(60_000);
    expect(times.at(-1)).toBeGreaterThan(24 * 3_600_000);
  },
);

test('what failed together does not come back together', () => {
  expect(new Set(Array.from({ length: 50 }, () => pauseAfter(3, schedule))).size).toBeGreaterThan(25);
});

test('the signature is over time and body', () => {
  // printf %s '1700000000.{"a":1}' | openssl dgst -sha256 -hmac secret
  const digest = '49f24e537407743fa4a0242bb63b94b9a47ee99cbbe071ccd8a22550ae411686';
  const at = new Date(1_700_000_000_999);
  expect(signatureOf('{"a":1}', ['secret'], at)).toBe(`t=1700000000,v1=${digest}`);
  expect(signatureOf('{"a":1}', ['new', 'secret'], at)).toMatch(
    new RegExp(`^t=1700000000,v1=[0-9a-f]{64},v1=${digest}$`),
  );
});
