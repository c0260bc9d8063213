import { createHash } from 'node:crypto';
import knexFactory, { type Knex } from 'knex';
import { appendAuditLine } from '../../../../src/foundation/audit-log/audit-log';
import { sealAuditLog } from '../../../../src/foundation/audit-log/sealing';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { AUDIT_LOG_CHECKS } from '../../../../src/money/books-check/audit-log-checks';
import { runChecks } from '../../../../src/money/books-check/check';
import { createTestDatabase } from '../../../setup/environment';

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let owner: Knex;
let database: Database;

beforeEach(async () => {
  place = await createTestDatabase('sealing');
  owner = knexFactory({ client: 'pg', connection: place.adminUrl, pool: { min: 0, max: 2 } });
  database = openDatabase(place.logins, 8, 'test-sealing');
});
afterEach(async () => {
  await owner?.destroy();
  await database?.close();
  await place?.drop();
});

const write = (connection: Knex, action: string) =>
  appendAuditLine(connection, { actor: 'usr_1', action, target: 'x', result: 'done', detail: { b: 1, a: 'ß"' } });

/** Three seals of two lines each. */
async function sealThree(): Promise<void> {
  for (const action of ['a', 'b', 'c']) {
    await write(database.system, `${action}.one`);
    await write(database.system, `${action}.two`);
    await sealAuditLog(database.system);
  }
}

const findings = async () =>
  (await runChecks(database.ops, AUDIT_LOG_CHECKS)).findings.map(({ check, subject, detail }) =>
    [check, subject, detail].join(': '),
  );

/** As somebody does who owns the database: no trigger runs. */
const behindTheLog = (sql: string) =>
  owner.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(sql);
  });

test('a seal takes all lines in that wait, and its hash can be computed without us', async () => {
  await sealThree();
  expect(await sealAuditLog(database.system)).toBe(false);
  const seals = await database.ops('audit_seals').orderBy('seal');
  expect(seals.map(({ seal, line_ids }) => [seal, line_ids.length])).toEqual([
    [1n, 2],
    [2n, 2],
    [3n, 2],
  ]);
  expect(await database.ops('audit_unsealed')).toEqual([]);
  expect(await findings()).toEqual([]);
  let hash = Buffer.alloc(32);
  for (const seal of seals) {
    const sum = createHash('sha256').update(hash);
    for (const id of seal.line_ids) {
      const { rows } = await database.ops.raw('SELECT audit_line_text(l) AS text FROM audit_log l WHERE id = ?', [id]);
      sum.update(createHash('sha256').update(rows[0].text).digest());
    }
    hash = sum.digest();
    expect(seal.hash).toEqual(hash);
  }
});

test('a line whose transaction ends late is sealed late, and none is left out', async () => {
  const late = await database.system.transaction();
  await write(late, 'late.one');
  await write(database.system, 'early.one');
  await sealAuditLog(database.system);
  await late.commit();
  await sealAuditLog(database.system);
  const seals = await database.ops('audit_seals').orderBy('seal').pluck('line_ids');
  expect(seals).toEqual([['2'], ['1']]);
  expect(await findings()).toEqual([]);
});

test('of two that seal at once one succeeds, and the chain does not fork', async () => {
  await write(database.system, 'a.one');
  const first = await database.system.transaction();
  await sealAuditLog(first);
  await write(database.system, 'a.two');
  const second = sealAuditLog(database.system);
  second.catch(() => undefined);
  await first.commit();
  await second.catch((error: { constraint?: string }) => expect(error.constraint).toBe('audit_seals_pkey'));
  await sealAuditLog(database.system);
  expect((await database.ops('audit_seals').pluck('line_ids')).flat()).toHaveLength(2);
  expect(await findings()).toEqual([]);
});

test.each([
  [
    'changes a line',
    `UPDATE audit_log SET actor = 'usr_2' WHERE action = 'b.one'`,
    [/^the lines of the audit log are those that were sealed: 2: lines 3 to 4/],
  ],
  [
    'changes when it was',
    `UPDATE audit_log SET at = at - interval '1 ms' WHERE action = 'b.one'`,
    [/^the lines of the audit log are those that were sealed: 2/],
  ],
  [
    'removes a line',
    `DELETE FROM audit_log WHERE action = 'c.two'`,
    [/^the lines of the audit log are those that were sealed: 3/],
  ],
  [
    'adds a line',
    `INSERT INTO audit_log (actor, action, result) VALUES ('usr_1', 'd.one', 'done')`,
    [/^each line of the audit log is in one seal, or waits for it: 7: is in 0 seals/],
  ],
  [
    'removes a line with its seal',
    `DELETE FROM audit_log WHERE id IN (3, 4); DELETE FROM audit_seals WHERE seal = 2`,
    [/^each seal of the audit log follows the one before: 3: follows 1/],
  ],
  [
    'changes a line and its seal',
    `UPDATE audit_log SET actor = 'usr_2' WHERE action = 'b.one';
     UPDATE audit_seals SET hash = audit_seal_hash(previous, line_ids) WHERE seal = 2`,
    [/^each seal of the audit log follows the one before: 3: was made after another hash/],
  ],
  [
    'removes the beginning',
    `DELETE FROM audit_log WHERE id < 3; DELETE FROM audit_seals WHERE seal = 1`,
    [/^each seal of the audit log follows the one before: 2: follows nothing/],
  ],
])('the audit finds who %s', async (_, sql, expected) => {
  await sealThree();
  await behindTheLog(sql);
  const found = await findings();
  expect(found).toHaveLength(expected.length);
  for (const [place, like] of expected.entries()) expect(found[place]).toMatch(like);
});

test('nobody but the sealer has rights on the seals, and nobody changes them', async () => {
  await sealThree();
  await write(database.system, 'd.one');
  const refused = { code: '42501' };
  for (const sql of ['DELETE FROM audit_unsealed', 'SELECT audit_seal(1)', 'SELECT FROM audit_seals']) {
    await expect(database.app.raw(sql)).rejects.toMatchObject(refused);
  }
  await expect(database.app.raw('INSERT INTO audit_unsealed VALUES (1)')).rejects.toMatchObject(refused);
  await expect(database.ops.raw('DELETE FROM audit_unsealed')).rejects.toMatchObject(refused);
  await expect(database.system.raw('DELETE FROM audit_seals')).rejects.toMatchObject(refused);
  await expect(owner.raw('DELETE FROM audit_seals')).rejects.toMatchObject({ code: '23000' });
  await expect(owner.raw(`UPDATE audit_log SET actor = 'x'`)).rejects.toMatchObject({ code: '23000' });
});
