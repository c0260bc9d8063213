import { Turns } from '../../../src/api/server/middleware/turns';

/** Work that ends when it is told, and notes that it has begun. */
function place(options: { atOnce: number; waitMs?: number }) {
  const turns = new Turns({ waitMs: 60_000, ...options });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (tenant: string, name: string, organization = '') =>
    turns.run({ tenant, organization }, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (name: string) => {
    ends.get(name)!();
    await settled();
  };
  return { turns, begun, ask, end };
}

/** Lets everything that is ready run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const times = <T>(count: number, tell: (n: number) => T) => Array.from({ length: count }, (_, n) => tell(n));

test('a tenant alone has all turns, and the others of it wait in the order they came', async () => {
  const { begun, ask, end } = place({ atOnce: 2 });
  times(4, (n) => ask('one', `${n}`));
  await settled();
  expect(begun).toEqual(['0', '1']);
  await end('1');
  expect(begun).toEqual(['0', '1', '2']);
  await end('0');
  expect(begun).toEqual(['0', '1', '2', '3']);
});

test('beside a flood another tenant is next, and then the flood has a sixteenth of the turns', async () => {
  const { begun, ask, end } = place({ atOnce: 32 });
  times(100, (n) => ask('flood', `flood ${n}`));
  ask('other', 'other 0');
  await settled();
  expect(begun).toEqual(times(32, (n) => `flood ${n}`));
  await end('flood 0');
  expect(begun.slice(32)).toEqual(['other 0']);
  await end('other 0');
  for (const n of times(29, (one) => one + 1)) await end(`flood ${n}`);
  expect(begun).toHaveLength(33);
  // Thirty turns are free for whoever else comes.
  ask('other', 'other 1');
  await settled();
  expect(begun.at(-1)).toBe('other 1');
  await end('flood 30');
  expect(begun.at(-1)).toBe('flood 32');
});

test('many tenants that flood are served in turn', async () => {
  const { begun, ask, end } = place({ atOnce: 1 });
  ask('first', 'first');
  for (const tenant of ['a', 'b', 'c']) times(3, (n) => ask(tenant, `${tenant}${n}`));
  for (let n = 0; n < 9; n += 1) {
    await settled();
    await end(begun.at(-1)!);
  }
  expect(begun.slice(1)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
});

test('organizations of one tenant take turns', async () => {
  const { begun, ask, end } = place({ atOnce: 1 });
  ask('one', 'first', 'x');
  times(3, (n) => ask('one', `x${n}`, 'x'));
  ask('one', 'y0', 'y');
  for (let n = 0; n < 4; n += 1) {
    await settled();
    await end(begun.at(-1)!);
  }
  expect(begun.slice(1)).toEqual(['x0', 'y0', 'x1', 'x2']);
});

test('who waits too long is refused, and takes no turn later', async () => {
  const { begun, ask, end } = place({ atOnce: 1, waitMs: 5 });
  ask('one', 'first');
  await expect(ask('one', 'second')).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  await end('first');
  expect(begun).toEqual(['first']);
  ask('one', 'third');
  await settled();
  expect(begun).toEqual(['first', 'third']);
});

test('who would wait too long is refused at once: alone because the process is busy, beside others for their sake', async () => {
  const { begun, ask, end, turns } = place({ atOnce: 1, waitMs: 3 });
  // Turns of 40 ms or so, which nobody else waits for.
  for (const name of ['a', 'b']) {
    const slow = ask('one', name);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await end(name);
    await slow;
  }
  ask('one', 'c');
  let refused: unknown;
  void ask('one', 'd').catch((error) => {
    refused = error;
  });
  await Promise.resolve();
  await Promise.resolve();
  expect(refused).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
  await end('c');
  await turns.run({ tenant: 'other', organization: '' }, async () => undefined);
  ask('one', 'e');
  await expect(ask('one', 'f')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
  expect(begun).toEqual(['a', 'b', 'c', 'e']);
});

test('beside others a turn ends sooner', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
  try {
    const { begun, ask } = place({ atOnce: 1 });
    ask('other', 'other');
    await settled();
    jest.advanceTimersByTime(1_000);
    times(3, (n) => ask('one', `${n}`));
    await settled();
    expect(begun).toEqual(['other', '0']);
    jest.advanceTimersByTime(100);
    await settled();
    expect(begun).toEqual(['other', '0', '1']);
  } finally {
    jest.useRealTimers();
  }
});

test('work that fails ends its turn, and its caller hears why', async () => {
  const { turns, begun, ask } = place({ atOnce: 1 });
  const failing = turns.run({ tenant: 'one', organization: '' }, () => Promise.reject(new Error('no')));
  ask('one', 'second');
  await expect(failing).rejects.toThrow('no');
  await settled();
  expect(begun).toEqual(['second']);
});

test('who waits for somebody else keeps no turn: after a second the next one begins', async () => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'performance'] });
  try {
    const { begun, ask, end } = place({ atOnce: 1 });
    const first = ask('one', 'first');
    ask('one', 'second');
    await settled();
    jest.advanceTimersByTime(1_000);
    await settled();
    expect(begun).toEqual(['first', 'second']);
    // Its own end gives no second turn away.
    await end('first');
    await expect(first).resolves.toBe('first');
    ask('one', 'third');
    await settled();
    expect(begun).toEqual(['first', 'second']);
  } finally {
    jest.useRealTimers();
  }
});
