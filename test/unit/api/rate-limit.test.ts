import { AnonymousLimit, RateLimit } from '../../../src/api/server/middleware/rate-limit';
import { networkOf } from '../../../src/people/identity/source-network';

const taken = (take: () => void) => {
  try {
    take();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
    return false;
  }
};

test('a client has its requests of a second, and others have theirs', () => {
  const limit = new RateLimit(3);
  const at = (client: string, now: number) => taken(() => limit.take(client, now));
  expect([at('one', 0), at('one', 0), at('one', 0), at('one', 0), at('two', 0)]).toEqual([
    true,
    true,
    true,
    false,
    true,
  ]);
  expect([at('one', 334), at('one', 334)]).toEqual([true, false]);
});

test('a flood from ever new sources shares what is left, and takes no more memory', () => {
  const limit = new RateLimit(5);
  const admitted = Array.from({ length: 20_000 }, (_, n) => taken(() => limit.take(`source ${n}`, 2_000)));
  expect(admitted.filter(Boolean)).toHaveLength(10_000 + 5);
  // A second later the first have their places back.
  expect(taken(() => limit.take('another', 3_500))).toBe(true);
});

test('who sends without a token is limited by source, an IPv6 network as one; reading is free', () => {
  const limit = new AnonymousLimit(2);
  const post = (source: string) => taken(() => limit.take('POST', source));
  expect([post('2001:db8::1'), post('2001:db8::2'), post('2001:db8::3')]).toEqual([true, true, false]);
  expect([post('2001:db8:0:1::1'), post('192.0.2.1')]).toEqual([true, true]);
  for (let reads = 0; reads < 10; reads += 1) expect(taken(() => limit.take('GET', '2001:db8::1'))).toBe(true);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0000:0001::', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s counts as %s', (source, network) => expect(networkOf(source)).toBe(network));
