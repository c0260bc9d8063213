import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { newId } from '../../../../src/domain/ids';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { openAdmin } from '../../../../src/foundation/db/migrate';
import { EncryptionCodec } from '../../../../src/foundation/temporal/data-converter';
import { DataKeys, type DataKeysOptions } from '../../../../src/foundation/vault/data-keys';
import { AwsKeyService } from '../../../../src/foundation/vault/key-services/aws';
import type { KeyService } from '../../../../src/foundation/vault/key-services/key-service';
import { TransitKeyService } from '../../../../src/foundation/vault/key-services/transit';
import { Keyring } from '../../../../src/foundation/vault/keyring';
import { Vault } from '../../../../src/foundation/vault/vault';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';
import { AWS_CREDENTIALS, LocalAws } from '../../../setup/key-services/aws';
import { APP_ROLE, LocalTransit } from '../../../setup/key-services/transit';

const CACHE_MS = 60_000;
const PERIOD_MS = 600_000;
const LEARN_MS = 30_000;
const K1 = `k1:${randomBytes(32).toString('base64')}`;
const CARD = { number: '4111111111111111', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030' };
const hmacKey = randomBytes(32).toString('base64');
const DOWN = { code: 'unavailable', retryAfterSeconds: 5 };

const transit = new LocalTransit();
const aws = new LocalAws();
let own: Awaited<ReturnType<typeof createTestDatabase>>;
let admin: Knex;
let database: Database;
let tenant: SeededTenant;
const opened: DataKeys[] = [];
const warnings: object[] = [];
/** How much later it is to us than to the clock. */
let ahead = 0;

beforeAll(async () => {
  await transit.start();
  await aws.start();
  transit.addVersion('k');
  aws.addVersion('k');
  Object.assign(process.env, AWS_CREDENTIALS);
  own = await createTestDatabase('data_keys');
  admin = openAdmin(own.adminUrl);
  database = openDatabase(own.logins, 4, 'test-data-keys');
  tenant = await seedSandbox(database.system, new CallbackSecrets(K1));
});
afterAll(async () => {
  await database?.close();
  await admin?.destroy();
  await own?.drop();
  await transit.stop();
  await aws.stop();
  for (const name of Object.keys(AWS_CREDENTIALS)) delete process.env[name];
});
beforeEach(async () => {
  ahead = 0;
  const now = Date.now;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
  await admin('data_keys').delete();
  await admin('vault_cards').delete();
});
afterEach(() => {
  for (const keys of opened.splice(0)) keys.close();
  jest.restoreAllMocks();
});

const byTransit = (): KeyService =>
  new TransitKeyService({ url: transit.url, key: 'k', mount: 'transit', timeoutMs: 2_000, ...APP_ROLE });
const byAws = (): KeyService =>
  new AwsKeyService({ keyId: LocalAws.arn('k'), region: 'eu-west-1', url: aws.url, timeoutMs: 2_000 });
const named = (...services: KeyService[]) => new Map(services.map((service) => [service.kind, service]));

/** The keys of one process. It looks for new ones when a test says so. */
async function processWith(
  seals: DataKeysOptions['seals'],
  services = named(byTransit()),
  setting?: string,
): Promise<DataKeys> {
  const options = { seals, services, cacheMs: CACHE_MS, periodMs: PERIOD_MS, learnMs: LEARN_MS, refreshMs: 1 << 30 };
  const settings = setting ? { vault: setting, codec: setting } : {};
  const keys = await DataKeys.open(database.system, options, settings, { warn: (line: object) => warnings.push(line) });
  opened.push(keys);
  return keys;
}
const ringOf = (keys: DataKeys) => new Keyring(keys.ring('vault'), 'a test');
const vaultOf = (keys: DataKeys) => new Vault({ keys: keys.ring('vault'), hmacKey, cvvTtlMs: 60_000 });
const isDataKey = (id: string) => /^kms-[0-9a-f]{16}$/.test(id);

/** That each of them opens what each of them seals. */
function expectAgreement(...processes: DataKeys[]): void {
  for (const one of processes)
    for (const other of processes) {
      const text = randomBytes(8);
      expect(ringOf(other).open(ringOf(one).seal(text, 'c'), 'c')).toEqual(text);
    }
}

test('processes that start at once share one key of each ring; no card asks the service', async () => {
  const processes = await Promise.all([1, 2, 3, 4].map(() => processWith('vault')));
  const rows = await database.system('data_keys').orderBy('ring');
  expect(rows.map(({ ring, service, service_key }) => [ring, service, service_key])).toEqual([
    ['codec', 'vault', 'k'],
    ['vault', 'vault', 'k'],
  ]);
  expectAgreement(...processes);
  const { calls } = transit;
  const vault = vaultOf(processes[0]!);
  for (let i = 0; i < 100; i += 1) {
    const id = newId('card');
    const sealed = vault.seal(id, CARD);
    expect(isDataKey(sealed.key_id)).toBe(true);
    expect(vaultOf(processes[1]!).open(id, sealed)).toEqual(CARD);
  }
  expect(transit.calls).toBe(calls);
});

test('the database holds keys wrapped only, bound to their ring and id', async () => {
  const keys = await processWith('vault');
  const [codec, vault] = await database.system('data_keys').orderBy('ring');
  expect(String(vault.wrapped)).toMatch(/^vault:v1:/);
  await admin('data_keys').where({ id: codec.id }).update({ wrapped: vault.wrapped });
  await expect(processWith('vault')).rejects.toThrow('the key service answered 400');
  expect(keys.isUp()).toBe(true);
});

test('payloads of the engine have a key of their own', async () => {
  const keys = await processWith('vault');
  const codec = new EncryptionCodec(keys.ring('codec'));
  const [sealed] = await codec.encode([{ data: Buffer.from('"x"'), metadata: {} }]);
  expect((await codec.decode([sealed!]))[0]!.data).toEqual(Buffer.from('"x"'));
  await expect(new EncryptionCodec(keys.ring('vault')).decode([sealed!])).rejects.toMatchObject(DOWN);
});

test('while the service is away work goes on for the time of the cache; then it is unavailable; nothing is lost', async () => {
  const keys = await processWith('vault');
  const ring = ringOf(keys);
  const sealed = ring.seal(Buffer.from('x'), 'c');
  await transit.stop();
  try {
    ahead = CACHE_MS - 10_000;
    await expect(keys.refresh()).rejects.toMatchObject(DOWN);
    expect([ring.open(sealed, 'c').toString(), keys.isUp()]).toEqual(['x', true]);
    ahead = CACHE_MS + 10_000;
    expect(() => ring.open(sealed, 'c')).toThrow(expect.objectContaining(DOWN));
    expect(() => ring.seal(Buffer.from('y'), 'c')).toThrow(expect.objectContaining(DOWN));
    expect(keys.isUp()).toBe(false);
    await expect(processWith('vault')).rejects.toMatchObject(DOWN);
  } finally {
    await transit.start();
  }
  await keys.refresh();
  expect([ring.open(sealed, 'c').toString(), keys.isUp()]).toEqual(['x', true]);
});

test('as long as the service unwraps, keys stay; once its key is disabled they are forgotten', async () => {
  const keys = await processWith('vault');
  for (let i = 1; i <= 5; i += 1) {
    ahead = i * (CACHE_MS - 10_000);
    await keys.refresh();
    expect(keys.isUp()).toBe(true);
  }
  transit.setEnabled('k', false);
  try {
    ahead += CACHE_MS - 10_000;
    await expect(keys.refresh()).rejects.toThrow('the key service answered 400');
    expect(keys.isUp()).toBe(true);
    ahead += 20_000;
    expect(keys.isUp()).toBe(false);
  } finally {
    transit.setEnabled('k', true);
  }
});

test('a new key waits until every process has it', async () => {
  const [maker, other] = [await processWith('vault'), await processWith('vault')];
  const first = ringOf(maker).currentId;
  const old = ringOf(maker).seal(Buffer.from('x'), 'c');
  const interval = admin.raw("? * interval '1 millisecond'", [PERIOD_MS + 1_000]);
  await admin('data_keys').update({ created_at: admin.raw('created_at - ?', [interval]) });
  await maker.refresh();
  expect(await database.system('data_keys')).toHaveLength(4);
  expect(ringOf(maker).currentId).toBe(first);
  await other.refresh();
  expect(await database.system('data_keys')).toHaveLength(4);
  ahead = LEARN_MS + 1_000;
  expect(ringOf(maker).currentId).not.toBe(first);
  expect(ringOf(other).currentId).toBe(ringOf(maker).currentId);
  expectAgreement(maker, other);
  expect(ringOf(other).open(old, 'c').toString()).toBe('x');
});

test('from the keys of a setting to a service and back, step by step, with old and new processes side by side', async () => {
  const { system } = database;
  const files = await processWith('file', named(), K1);
  const id = newId('card');
  const store = (vault: Vault) => {
    const { cvv: _cvv, cvv_expires_at: _until, ...sealed } = vault.seal(id, CARD);
    return database.tenant(tenant.tenantId, (trx) =>
      trx('vault_cards').insert({ id, tenant_id: tenant.tenantId, ...sealed }),
    );
  };
  const openedBy = async (keys: DataKeys) =>
    vaultOf(keys).open(id, await system('vault_cards').where({ id }).first('key_id', 'wrapped_key', 'sealed'));
  await store(vaultOf(files));

  // Every process learns to read, then the first one seals.
  const reads = await processWith('file', named(byTransit()), K1);
  expectAgreement(files, reads);
  const seals = await processWith('vault', named(byTransit()), K1);
  expect(ringOf(seals).currentId).toBe('k1');
  expectAgreement(files, reads, seals);
  await reads.refresh();
  ahead = LEARN_MS + 1_000;
  expect(isDataKey(ringOf(seals).currentId)).toBe(true);
  expect(ringOf(reads).currentId).toBe('k1');
  expectAgreement(reads, seals);
  expect([await vaultOf(seals).rewrap(system), await vaultOf(seals).rewrap(system)]).toEqual([1, 0]);
  const without = await processWith('vault');
  for (const keys of [reads, seals, without]) expect(await openedBy(keys)).toEqual(CARD);
  await expect(openedBy(files)).rejects.toMatchObject(DOWN);

  // And back.
  const back = await processWith('file', named(byTransit()), K1);
  expectAgreement(seals, back);
  expect([await vaultOf(back).rewrap(system), await vaultOf(back).rewrap(system)]).toEqual([1, 0]);
  expect(await openedBy(files)).toEqual(CARD);
});

test('a later data key leaves what an earlier one sealed as it is', async () => {
  const keys = await processWith('vault');
  const vault = vaultOf(keys);
  const id = newId('card');
  const { cvv: _cvv, cvv_expires_at: _until, ...sealed } = vault.seal(id, CARD);
  await database.tenant(tenant.tenantId, (trx) =>
    trx('vault_cards').insert({ id, tenant_id: tenant.tenantId, ...sealed }),
  );
  ahead = PERIOD_MS + 1_000;
  await keys.refresh();
  ahead += LEARN_MS;
  expect(ringOf(keys).currentId).not.toBe(sealed.key_id);
  expect(await vault.rewrap(database.system)).toBe(0);
});

test('data keys are wrapped anew: by the newest version, and by another service', async () => {
  const { system } = database;
  const first = await processWith('vault');
  const sealed = ringOf(first).seal(Buffer.from('x'), 'c');
  transit.addVersion('k');
  expect(await first.rewrap()).toBe(2);
  for (const { wrapped } of await system('data_keys')) expect(String(wrapped)).toMatch(/^vault:v2:/);

  await expect(processWith('aws', named(byAws()))).rejects.toThrow('name it in KEY_SERVICE_ALSO');
  const both = await processWith('aws', named(byAws(), byTransit()));
  expectAgreement(first, both);
  expect(await both.rewrap()).toBe(2);
  expect(new Set(await system('data_keys').pluck('service_key'))).toEqual(new Set([LocalAws.arn('k')]));
  await transit.stop();
  try {
    const after = await processWith('aws', named(byAws()));
    expect(ringOf(after).open(sealed, 'c').toString()).toBe('x');
    await both.refresh();
    ahead = CACHE_MS - 1_000;
    await both.refresh();
    ahead = CACHE_MS + 10_000;
    expect(ringOf(both).open(sealed, 'c').toString()).toBe('x');
  } finally {
    await transit.start();
  }
});

test('a service that does not give back what it wrapped makes no key', async () => {
  const broken: KeyService = {
    ...{ kind: 'vault' as const },
    wrap: (key, context) => byTransit().wrap(key, context),
    unwrap: async () => randomBytes(32),
  };
  await expect(processWith('vault', named(broken))).rejects.toThrow('does not unwrap what it has wrapped');
  expect(await database.system('data_keys')).toEqual([]);
});

test('a key that nobody has is a fault of the settings', async () => {
  const keys = await processWith('vault');
  const sealed = new Keyring(K1, 'a test').seal(Buffer.from('x'), 'c');
  expect(() => ringOf(keys).open(sealed, 'c')).toThrow('no key named k1');
});
