import { randomUUID } from 'node:crypto';
import { Client, types } from 'pg';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { statement } from '../../../../src/foundation/db/named-statements';
import { createTestDatabase } from '../../../setup/environment';

/** Statements that a connection prepares once, on one connection, so that each test sees what it holds. */

const NUMBER = statement('number', 'SELECT $1::int AS number');
const THINGS = statement('things', 'SELECT * FROM named_things WHERE id = $1');

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let owner: Client;
let database: Database;
let behindPooler: Database;

beforeAll(async () => {
  place = await createTestDatabase('named');
  owner = new Client({ connectionString: place.adminUrl });
  await owner.connect();
  await owner.query(`CREATE TABLE named_things (id text PRIMARY KEY);
    INSERT INTO named_things VALUES ('one');
    GRANT SELECT ON named_things TO tillway_app`);
});
beforeEach(() => {
  database = openDatabase(place.logins, 1, 'named');
  behindPooler = openDatabase({ ...place.logins, directUrl: `${place.logins.url}?direct` }, 1, 'pooled');
});
afterEach(() => Promise.all([database.close(), behindPooler.close()]));
afterAll(async () => {
  await owner?.end();
  await place?.drop();
});

async function preparedOn({ app }: Database): Promise<string[]> {
  const { rows } = await app.raw('SELECT statement FROM pg_prepared_statements');
  return rows.map((row: { statement: string }) => row.statement);
}

const number = (on: Database, value: number) => on.named.app.rows<{ number: number }>(NUMBER, [value]);

test('a statement is prepared once on a connection, and asked again with other values', async () => {
  expect([await number(database, 1), await number(database, 2)]).toEqual([[{ number: 1 }], [{ number: 2 }]]);
  expect(await preparedOn(database)).toEqual([NUMBER.text]);
});

/** How often Postgres describes rows, while `work` is done on the one connection. */
async function descriptionsIn({ app }: Database, work: () => Promise<unknown>): Promise<number> {
  const connection = await app.client.acquireConnection();
  let described = 0;
  connection.connection.on('rowDescription', () => {
    described += 1;
  });
  await app.client.releaseConnection(connection);
  await work();
  return described;
}

test('its rows are described once on a connection, and each time behind a pooler', async () => {
  const thrice = async (on: Database) => {
    for (const value of [1, 2, 3]) expect(await number(on, value)).toEqual([{ number: value }]);
  };
  expect(await descriptionsIn(database, () => thrice(database))).toBe(1);
  expect(await descriptionsIn(behindPooler, () => thrice(behindPooler))).toBe(3);
  // Whatever else the connection is asked is described as before.
  expect((await database.app.raw('SELECT 4 AS number')).rows).toEqual([{ number: 4 }]);
});

test('nothing is prepared behind a pooler', async () => {
  expect(await number(behindPooler, 1)).toEqual([{ number: 1 }]);
  expect(await preparedOn(behindPooler)).toEqual([]);
});

test('a pooler that nobody named is noticed: the statement is sent again, and none is prepared any more', async () => {
  await number(database, 1);
  // As if the next statement came to another session.
  await database.app.raw('DEALLOCATE ALL');
  expect(await number(database, 2)).toEqual([{ number: 2 }]);
  expect(await preparedOn(database)).toEqual([]);
});

test('one that another session has prepared with other columns since is not read wrongly, and is described again', async () => {
  const pair = statement('pair', 'SELECT $1::int AS one, 2 AS two');
  const read = () => database.named.app.rows(pair, [1]);
  expect(await read()).toEqual([{ one: 1, two: 2 }]);
  const [{ name }] = (await database.app.raw('SELECT name FROM pg_prepared_statements')).rows;
  await database.app.raw(`DEALLOCATE ALL; PREPARE "${name}" (int) AS SELECT 0 AS zero, $1 AS one, 2 AS two`);
  await expect(read()).rejects.toThrow('other columns');
  expect(await read()).toEqual([{ zero: 0, one: 1, two: 2 }]);
});

test('a column that a migration adds is there with the next read', async () => {
  const things = () => database.named.app.rows(THINGS, ['one']);
  expect(await things()).toEqual([{ id: 'one' }]);
  for (const column of ['first', 'second']) {
    await owner.query(`ALTER TABLE named_things ADD COLUMN ${column} text DEFAULT 'new'`);
    expect(await things()).toEqual([expect.objectContaining({ [column]: 'new' })]);
  }
});

test('each row is an object of its own, with its types, and null where nothing is', async () => {
  const numbers = statement(
    'numbers',
    `SELECT n::bigint AS big, CASE WHEN n = 2 THEN 'two' END AS word FROM generate_series(1, $1::int) n ORDER BY n`,
  );
  const rows = [
    { big: 1n, word: null },
    { big: 2n, word: 'two' },
    { big: 3n, word: null },
  ];
  expect(await database.named.app.rows(numbers, [3])).toEqual(rows);
  expect(await behindPooler.named.app.rows(numbers, [3])).toEqual(rows);
  expect(await database.named.app.rows(numbers, [0])).toEqual([]);
});

test('of two columns of one name the last one counts, null too', async () => {
  const twice = statement('twice', `SELECT $1::int AS number, NULL::int AS number, 'a' AS letter, 'b' AS letter`);
  expect(await database.named.app.rows(twice, [1])).toEqual([{ number: null, letter: 'b' }]);
});

test('a row that cannot be read rejects, and the connection serves the next', async () => {
  const unreadable = statement('unreadable', 'SELECT $1::bigint AS number');
  const { INT8 } = types.builtins;
  types.setTypeParser(INT8, () => {
    throw new Error('not read');
  });
  try {
    await expect(database.named.app.rows(unreadable, [1])).rejects.toThrow('not read');
  } finally {
    types.setTypeParser(INT8, BigInt);
  }
  expect(await number(database, 4)).toEqual([{ number: 4 }]);
});

test('two texts never share a name', () => {
  expect(statement('same', 'SELECT 1').name).not.toBe(statement('same', 'SELECT 2').name);
});

test('an error of the statement is told, and the connection goes back', async () => {
  const failing = statement('failing', 'SELECT $1::int / 0');
  await expect(database.named.app.rows(failing, [1])).rejects.toMatchObject({ code: '22012' });
  await expect(database.named.app.rows(NUMBER, [randomUUID()])).rejects.toMatchObject({ code: '22P02' });
  expect(await number(database, 3)).toEqual([{ number: 3 }]);
});
