import { createHash } from 'node:crypto';
import knexFactory, { type Knex } from 'knex';
import { appendAuditLine } from '../../../../src/foundation/audit-log/audit-log';
import { AuditExport } from '../../../../src/foundation/audit-log/export';
import { sealAuditLog } from '../../../../src/foundation/audit-log/sealing';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { auditCopy } from '../../../../src/money/books-check/audit-log-copy';
import { createTestDatabase } from '../../../setup/environment';
import { openObjectStore } from '../../../setup/object-store';

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let owner: Knex;
let database: Database;
let store: Awaited<ReturnType<typeof openObjectStore>>;
let copy: AuditExport;

beforeEach(async () => {
  place = await createTestDatabase('audit_export');
  owner = knexFactory({ client: 'pg', connection: place.adminUrl, pool: { min: 0, max: 2 } });
  database = openDatabase(place.logins, 8, 'test-audit-export');
  store = await openObjectStore();
  copy = new AuditExport(store.settings);
});
afterEach(async () => {
  store?.close();
  await owner?.destroy();
  await database?.close();
  await place?.drop();
});

async function sealOne(action: string): Promise<void> {
  await appendAuditLine(database.system, { actor: 'usr_1', action, target: 'ü', result: 'done' });
  await sealAuditLog(database.system);
}

const findings = async () =>
  (await auditCopy(database.ops, copy)).findings.map(({ subject, detail }) =>
    `${subject}: ${detail}`.replace(/[0-9a-f]{64}/, 'HASH'),
  );

interface Sealed {
  seal: number;
  previous: string;
  hash: string;
  lines: string[];
}

test('each seal is copied once, and the copy proves itself', async () => {
  await sealOne('a.one');
  await sealOne('a.two');
  expect(await copy.send(database.system)).toBe(false);
  expect(await copy.send(database.system)).toBe(false);
  await sealOne('a.three');
  await copy.send(database.system);
  expect(store.objects.size).toBe(2);
  const seals: Sealed[] = [...store.objects.values()].flatMap((body) =>
    body
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  expect(seals.map(({ seal }) => seal)).toEqual([1, 2, 3]);
  let hash = '00'.repeat(32);
  for (const seal of seals) {
    expect(seal.previous).toBe(hash);
    const sum = createHash('sha256').update(Buffer.from(hash, 'hex'));
    for (const line of seal.lines) sum.update(createHash('sha256').update(line).digest());
    hash = sum.digest('hex');
    expect(seal.hash).toBe(hash);
  }
  expect(JSON.parse(seals[0]!.lines[0]!)).toEqual([
    1,
    null,
    'usr_1',
    'a.one',
    'ü',
    null,
    'done',
    {},
    expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
  ]);
  expect(await findings()).toEqual([]);
});

test('while the store refuses, nothing counts as copied; afterwards all of it is sent', async () => {
  await sealOne('a.one');
  store.state.refuse = 503;
  await expect(copy.send(database.system)).rejects.toThrow('answered 503');
  await sealOne('a.two');
  store.state.refuse = undefined;
  await copy.send(database.system);
  const [object] = store.objects.values();
  expect(object!.toString().trimEnd().split('\n')).toHaveLength(2);
  expect(await findings()).toEqual([]);
});

test('a wrong key copies nothing', async () => {
  await sealOne('a.one');
  const wrong = new AuditExport({ ...store.settings, secretAccessKey: 'another' });
  await expect(wrong.send(database.system)).rejects.toThrow('answered 403');
  expect(await database.ops('audit_exports')).toEqual([]);
});

test('the audit finds who removes the end of the log, makes it anew, or removes the copy', async () => {
  for (const action of ['a', 'b', 'c', 'd', 'e']) {
    await sealOne(`${action}.one`);
    await copy.send(database.system);
  }
  expect(await findings()).toEqual([]);
  await owner.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(`DELETE FROM audit_seals WHERE seal = 5; DELETE FROM audit_log WHERE id = 5;
      UPDATE audit_log SET actor = 'usr_2' WHERE id = 4;
      UPDATE audit_seals SET hash = audit_seal_hash(previous, line_ids) WHERE seal = 4`);
  });
  const first = [...store.objects.keys()].sort()[0]!;
  store.objects.delete(first);
  expect(await findings()).toEqual([
    'tillway/0000000000000004-HASH.jsonl: is there, and the seal here is another one',
    'tillway/0000000000000005-HASH.jsonl: is there, and the seal is gone here',
    'seal 1: was sent, and is not there',
  ]);
});
