import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { typeidUnboxed } from 'typeid-js';
import { newId } from '../../src/domain/ids';
import type { Database } from '../../src/foundation/db/database';
import { sumUpLedger } from '../../src/money/ledger/sums';
import { countPayments } from '../../src/money/payments/counting';
import { writeCatalogue } from '../../src/money/routing/method-catalogue';
import { HouseAccounts } from '../../src/money/topups/house-account';
import { ProfileSeal } from '../../src/people/customers/customer';
import { CallbackSecrets } from '../../src/people/identity/callback-secrets';
import { newSecret } from '../../src/people/identity/clients';
import { seedSandbox } from '../../src/sandbox/seed/tenants';
import { CHUNK_STEPS, PART, PREPARE } from './fill-steps';

const MERCHANTS = 20;
const CHUNK = 50_000;
/** Parts that are written at the same time. */
const AT_ONCE = 2;
/** People per payment: each tops up twice, and sends to another. */
const PAYMENTS_PER_PERSON = 50;

export interface Growing {
  /** The owner of the schema: rows are written past the triggers. */
  owner: Knex;
  database: Database;
  /** How many merchants take turns; absent: twenty. */
  merchants?: number;
  /** The tenants of a platform that runs: every other payment is one of this organization. Absent: they are made. */
  sandbox?: { tenantId: string; organizationId: string; other: { tenantId: string } };
  /** Key that seals secrets and profiles, as VAULT_KEYS. Absent: one that nobody keeps. */
  keys?: string;
  say?: (line: string) => void;
}

/**
 * Fills a database without payments with `count` payments of the last 400 days and all that goes with them: timelines, entries,
 * captures and voids, refunds, disputes, late money, settled batches, top-ups, and transfers between customers. What a row
 * is follows from its number. The processors' own books are the table `bench.charges`. Works in parts, one transaction
 * each, in constant memory.
 */
export async function fill(
  { owner, database, merchants = MERCHANTS, sandbox, keys = newKeys(), say = () => {} }: Growing,
  count: number,
): Promise<void> {
  const secrets = new CallbackSecrets(keys);
  await writeCatalogue(database.system);
  const { tenantId, other } = sandbox ?? (await seedSandbox(database.system, secrets));
  await owner.raw(PREPARE);
  await makeMerchants({ owner, database }, secrets, [tenantId, other.tenantId], merchants);
  if (sandbox) await owner.raw(ALL_OF_ONE, [sandbox.organizationId, tenantId]);
  const seal = new ProfileSeal(keys);
  const chunk = Math.min(CHUNK, Math.max(PAYMENTS_PER_PERSON * 4, Math.floor(count / 20)));
  const until = new Date();
  const { rows: booked } = await owner.raw('SELECT coalesce(max(id), 0) AS entries FROM ledger_transfers');
  const parts = Array.from({ length: Math.ceil(count / chunk) }, (_, part) => part);
  let done = 0;
  const write = async (part: number) => {
    const first = part * chunk;
    const last = Math.min(count, first + chunk) - 1;
    await owner.transaction(async (trx) => {
      await trx.raw('SET LOCAL session_replication_role = replica');
      await trx.raw('SET LOCAL synchronous_commit = off');
      await trx.raw('SET LOCAL jit = off');
      await trx.raw(PART);
      await trx('part').insert({ part, first, last, total: count, until, merchants, entries: booked[0].entries });
      const people = Math.max(4, Math.floor((last + 1 - first) / PAYMENTS_PER_PERSON));
      await makePeople(trx, seal, [tenantId, other.tenantId], people);
      for (const step of CHUNK_STEPS) await trx.raw(step);
    });
    done += 1;
    if (done % Math.ceil(parts.length / 10) === 0) say(`${Math.min(count, done * chunk)} payments`);
  };
  // The accounts that all parts use are made by the first one.
  await write(parts.shift()!);
  // Plans that are made while tables are tiny would stay with whoever has prepared them.
  await owner.raw('ANALYZE');
  const writeRest = () =>
    Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let part = parts.shift(); part !== undefined; part = parts.shift()) await write(part);
      }),
    );
  await (count < MANY ? writeRest() : withoutIndexes(owner, writeRest));
  await owner.raw(`SELECT setval('ledger_transfers_id_seq', (SELECT max(id) FROM ledger_transfers))`);
  while (await sumUpLedger(database.system));
  while (await countPayments(database.system));
  await owner.raw('VACUUM ANALYZE');
}

/** From so many on, indexes are made after the rows, and the server is set up for filling: it must be one of our own. */
const MANY = 100_000;
/** Tables whose indexes are made after the rows. */
const LARGE = ['payments', 'payment_attempts', 'payment_events', 'ledger_transfers', 'settlement_lines'];
/** A checkpoint in the middle would write every page twice. */
const FILLING = { fsync: 'off', full_page_writes: 'off', max_wal_size: '8GB', checkpoint_timeout: '1h' };

/**
 * Does the work while the large tables lack the indexes that nobody needs meanwhile: none that is unique, and none with a
 * condition, which the workers look for open rows by.
 */
async function withoutIndexes(owner: Knex, work: () => Promise<unknown>): Promise<void> {
  for (const [name, value] of Object.entries(FILLING)) await owner.raw(`ALTER SYSTEM SET ${name} = '${value}'`);
  await owner.raw('SELECT pg_reload_conf()');
  const { rows } = await owner.raw(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS made_by FROM pg_index i
     WHERE i.indrelid = ANY (?::regclass[]) AND NOT i.indisunique AND i.indpred IS NULL`,
    [LARGE],
  );
  const indexes: { name: string; made_by: string }[] = rows;
  for (const { name } of indexes) await owner.raw(`DROP INDEX ${name}`);
  await work();
  for (const { made_by } of indexes)
    await owner.transaction(async (trx) => {
      await trx.raw(`SET LOCAL maintenance_work_mem = '512MB'`);
      await trx.raw(made_by);
    });
  for (const name of Object.keys(FILLING)) await owner.raw(`ALTER SYSTEM RESET ${name}`);
  await owner.raw('SELECT pg_reload_conf()');
  await owner.raw('CHECKPOINT');
}

/** The merchants of a tenant are one. */
const ALL_OF_ONE = `UPDATE bench.merchants m SET organization_id = a.organization_id, terminal_id = a.terminal_id
  FROM merchant_accounts a WHERE a.organization_id = ? AND m.tenant_id = ?`;

function newKeys(): string {
  return `k1:${randomBytes(32).toString('base64')}`;
}

/** Merchants take turns; each tenant has its house account beside them. */
async function makeMerchants(
  { owner, database }: Pick<Growing, 'owner' | 'database'>,
  secrets: CallbackSecrets,
  tenants: string[],
  merchants: number,
): Promise<void> {
  const houses = new HouseAccounts(database, secrets);
  for (const [number, tenantId] of tenants.entries()) {
    const { organizationId, terminalId } = await houses.of(tenantId);
    await owner('bench.houses').insert({
      number,
      tenant_id: tenantId,
      organization_id: organizationId,
      terminal_id: terminalId,
    });
  }
  for (let number = 0; number < merchants; number += 1) {
    const tenantId = tenants[number % tenants.length]!;
    const organizationId = newId('organization');
    const accountId = newId('merchantAccount');
    const place = { tenant_id: tenantId, organization_id: organizationId, terminal_id: typeidUnboxed('trm') };
    await database.system('organizations').insert({ id: organizationId, tenant_id: tenantId, name: `Shop ${number}` });
    const callback_secret_sealed = secrets.seal(newSecret(), accountId);
    await database.system('merchant_accounts').insert({ id: accountId, ...place, callback_secret_sealed });
    await owner('bench.merchants').insert({ number, ...place });
  }
}

/** The customers of one part, with their accounts. They take turns between the tenants. */
async function makePeople(trx: Knex.Transaction, seal: ProfileSeal, tenants: string[], count: number): Promise<void> {
  await trx.raw(
    'CREATE TEMPORARY TABLE people (number bigint PRIMARY KEY, id text NOT NULL, tenant_id text NOT NULL) ON COMMIT DROP',
  );
  const people = Array.from({ length: count }, (_, number) => {
    const id = newId('customer');
    const profile = { customerName: `Customer ${number}`, person: { email: `${id}@example.com` } };
    return { number, id, tenant_id: tenants[number % tenants.length]!, ...seal.seal(id, profile) };
  });
  await trx('people').insert(people.map(({ number, id, tenant_id }) => ({ number, id, tenant_id })));
  await trx('customers').insert(
    people.map(({ number, ...row }) => ({ ...row, customer_type: 'Person', status: 'verified' })),
  );
}
