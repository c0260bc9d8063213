import type { Readable } from 'node:stream';
import { csvAnswer } from '../../../src/api/server/csv';

const COLUMNS = [['n', (row: { n: number }) => row.n]] as const;

async function* rows(count: number, failure?: Error) {
  for (let n = 1; n <= count; n += 1) yield { n };
  if (failure) throw failure;
}

const read = async (body: unknown) => Buffer.concat(await (body as Readable).toArray()).toString();

test('a table that cannot even be begun is refused, not cut off', async () => {
  await expect(csvAnswer('t', COLUMNS, rows(0, new Error('away')))).rejects.toThrow('away');
});

test('a failure in between cuts the table off', async () => {
  const { body } = await csvAnswer('t', COLUMNS, rows(2, new Error('away')));
  await expect(read(body)).rejects.toThrow('away');
});

test('every row is written, and none where there is none', async () => {
  expect(await read((await csvAnswer('t', COLUMNS, rows(2))).body)).toBe('\ufeffn\r\n1\r\n2\r\n');
  expect(await read((await csvAnswer('t', COLUMNS, rows(0))).body)).toBe('\ufeffn\r\n');
});
