import fc from 'fast-check';
import { columnArray } from '../../../../src/foundation/db/column-array';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { testLogins } from '../../../setup/environment';

let database: Database;
beforeAll(() => {
  database = openDatabase(testLogins(), 2, 'test-column-array');
});
afterAll(() => database.close());

async function read(type: 'text' | 'bytea', values: (string | Buffer | null)[]): Promise<(string | Buffer | null)[]> {
  const { rows } = await database.app.raw(
    `SELECT value FROM unnest(?::${type}[]) WITH ORDINALITY AS g (value, position) ORDER BY position`,
    [columnArray(type, values)],
  );
  return rows.map(({ value }: { value: string | Buffer | null }) => value);
}

const texts = fc.array(fc.option(fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))));
const bytes = fc.array(fc.option(fc.uint8Array().map((given) => Buffer.from(given))));

test('whatever texts a column has, Postgres reads', () =>
  fc.assert(
    fc.asyncProperty(texts, async (values) => expect(await read('text', values)).toEqual(values)),
    { examples: [[[]], [['', 'NULL', null, '{"a",\\}', 'é€😀']]] },
  ));

test('whatever bytes a column has, Postgres reads', () =>
  fc.assert(
    fc.asyncProperty(bytes, async (values) => expect(await read('bytea', values)).toEqual(values)),
    { examples: [[[]], [[Buffer.alloc(0), null, Buffer.from([0, 255])]]] },
  ));
