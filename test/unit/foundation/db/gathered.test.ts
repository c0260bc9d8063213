import { setImmediate as turn } from 'node:timers/promises';
import { Gathered } from '../../../../src/foundation/db/gathered';

/** Each statement is on its way until it is let through, or refused. */
function gathering(most: number, statements: number) {
  const sent: { items: readonly string[]; through(): void; refuse(error: unknown): void }[] = [];
  const gathered = new Gathered<string, string>(
    (items) =>
      new Promise((resolve, reject) =>
        sent.push({ items, through: () => resolve(items.map((item) => `${item}!`)), refuse: reject }),
      ),
    most,
    statements,
  );
  return { gathered, sent, batches: () => sent.map(({ items }) => items.join('')) };
}

test('what comes in one turn shares a statement, and what comes meanwhile shares the next', async () => {
  const { gathered, sent, batches } = gathering(10, 1);
  const first = ['a', 'b'].map((item) => gathered.add(item));
  await turn();
  const second = ['c', 'd', 'e'].map((item) => gathered.add(item));
  await turn();
  expect(batches()).toEqual(['ab']);
  sent[0]!.through();
  expect(await Promise.all(first)).toEqual(['a!', 'b!']);
  await turn();
  expect(batches()).toEqual(['ab', 'cde']);
  sent[1]!.through();
  expect(await Promise.all(second)).toEqual(['c!', 'd!', 'e!']);
});

test('a statement takes so many at most', async () => {
  const { gathered, sent, batches } = gathering(2, 1);
  const all = ['a', 'b', 'c'].map((item) => gathered.add(item));
  await turn();
  sent[0]!.through();
  await turn();
  sent[1]!.through();
  await Promise.all(all);
  expect(batches()).toEqual(['ab', 'c']);
});

test('one statement that hangs does not hold up the others', async () => {
  const { gathered, sent } = gathering(10, 2);
  void gathered.add('hangs');
  await turn();
  for (const item of ['b', 'c']) {
    const answer = gathered.add(item);
    await turn();
    sent.at(-1)!.through();
    expect(await answer).toBe(`${item}!`);
  }
});

test.each(['22021', '22P05', '23514', '40P01'])('%s is of one row: the others are written alone', async (code) => {
  const { gathered, sent, batches } = gathering(10, 1);
  const all = Promise.allSettled(['a', 'b', 'c'].map((item) => gathered.add(item)));
  await turn();
  sent[0]!.refuse({ code });
  for (const [n, item] of ['a', 'b', 'c'].entries()) {
    await turn();
    if (item === 'b') sent[n + 1]!.refuse({ code });
    else sent[n + 1]!.through();
  }
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(batches()).toEqual(['abc', 'a', 'b', 'c']);
});

test.each([{ code: '57P01' }, { code: 'ECONNRESET' }, new Error('no connection')])(
  'where the database is away (%j), all are told, and nothing is sent again',
  async (error) => {
    const { gathered, sent, batches } = gathering(10, 1);
    const all = Promise.allSettled(['a', 'b'].map((item) => gathered.add(item)));
    await turn();
    sent[0]!.refuse(error);
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(batches()).toEqual(['ab']);
    const later = gathered.add('c');
    await turn();
    sent[1]!.through();
    expect(await later).toBe('c!');
  },
);
