import type { Knex } from 'knex';
import { typeidUnboxed } from 'typeid-js';
import { idAt, newId } from '../../src/domain/ids';
import type { Database } from '../../src/foundation/db/database';
import { countPayments } from '../../src/money/payments/counting';
import { HouseAccounts } from '../../src/money/topups/house-account';
import { ProfileSeal } from '../../src/people/customers/customer';
import { Identifiers } from '../../src/people/customers/identifiers';
import { CallbackSecrets } from '../../src/people/identity/callback-secrets';
import { newSecret } from '../../src/people/identity/clients';
import { PREPARE as DIGITS } from '../growth/fill-steps';
import { BESIDE, DAYS, LINES, OTHERS, PAYMENTS, PREPARE, TOPUPS, TRANSFERS, WAITING } from './fill-sql';

const CHUNK = 50_000;
const PEOPLE_CHUNK = 5_000;
const DAY_MS = 86_400_000;

export interface Filling {
  /** The owner of the schema: rows are written past the triggers. */
  owner: Knex;
  database: Database;
  /** The organization that has nearly all. */
  tenantId: string;
  organizationId: string;
  keys: { vaultKeys: string; hmacKey: string };
  say(line: string): void;
}

/**
 * Fills the database of a new sandbox with `count` payments of one organization, a fifth as many of nineteen others, and what
 * goes with them, in parts of one transaction each. A database that was filled with as many is left as it is. Answers when
 * the newest payment was made.
 */
export async function fill(filling: Filling, count: number): Promise<Date> {
  const { owner, say } = filling;
  const earlier = await filledWith(owner);
  if (earlier && earlier.payments !== count)
    throw new Error(
      `the database was filled with ${earlier.payments} payments: choose another BENCH_HOME for ${count}`,
    );
  if (earlier) return earlier.until;
  const until = new Date();
  const share = (many: number) => Math.max(100, Math.ceil((many * count) / 1_000_000));
  await owner.raw(DIGITS + PREPARE);
  await makePlaces(filling);
  await makePeople(filling, share(BESIDE.customers), until);
  const write = async (what: string, steps: readonly string[], total: number) => {
    const beganAt = performance.now();
    for (let first = 0; first < total; first += CHUNK) {
      const values = { first, last: Math.min(total, first + CHUNK) - 1, total, until };
      await chunk(owner, async (trx) => {
        for (const step of steps) await trx.raw(step, values);
      });
      if (first === 0) await owner.raw('ANALYZE');
    }
    say(`${total} ${what} in ${((performance.now() - beganAt) / 1000).toFixed(0)} s`);
  };
  await write('payments', PAYMENTS, Math.ceil((count * 6) / 5));
  await write('top-ups', TOPUPS, share(BESIDE.topups));
  await write('transfers', TRANSFERS, share(BESIDE.transfers));
  await write('lines of the audit log', LINES, share(BESIDE.lines));
  await write('interventions', WAITING, share(BESIDE.waiting));
  while (await countPayments(filling.database.system));
  await owner.raw('VACUUM ANALYZE');
  await owner('bench.filled').insert({ payments: count, until });
  return until;
}

async function filledWith(owner: Knex): Promise<{ payments: number; until: Date } | undefined> {
  const { rows } = await owner.raw(`SELECT to_regclass('bench.filled') IS NOT NULL AS there`);
  if (!rows[0].there) return undefined;
  const filled = await owner('bench.filled').first();
  if (!filled) throw new Error('the database was filled in part only: remove BENCH_HOME');
  return filled;
}

function chunk(owner: Knex, write: (trx: Knex.Transaction) => Promise<void>): Promise<void> {
  return owner.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw('SET LOCAL synchronous_commit = off');
    await trx.raw('SET LOCAL jit = off');
    await write(trx);
  });
}

/** The organization, the others, and as number -1 the tenant's house, which is the seller of top-ups. */
async function makePlaces({ owner, database, tenantId, organizationId, keys }: Filling): Promise<void> {
  const secrets = new CallbackSecrets(keys.vaultKeys);
  const account = await owner('merchant_accounts').where({ organization_id: organizationId }).first('terminal_id');
  const house = await new HouseAccounts(database, secrets).of(tenantId);
  const place = (number: number, organization_id: string, terminal_id: string) => ({
    number,
    tenant_id: tenantId,
    organization_id,
    terminal_id,
  });
  const others = Array.from({ length: OTHERS }, (_, n) => place(n + 1, newId('organization'), typeidUnboxed('trm')));
  for (const { number, ...ids } of others) {
    const id = newId('merchantAccount');
    await owner('organizations').insert({ id: ids.organization_id, tenant_id: tenantId, name: `Shop ${number}` });
    const callback_secret_sealed = secrets.seal(newSecret(), id);
    await owner('merchant_accounts').insert({ id, ...ids, callback_secret_sealed });
  }
  await owner('bench.places').insert([
    place(0, organizationId, account.terminal_id),
    place(-1, house.organizationId, house.terminalId),
    ...others,
  ]);
}

/** Customers as the API keeps them: sealed, with keyed hashes of what they are found by. */
async function makePeople({ owner, tenantId, keys, say }: Filling, count: number, until: Date): Promise<void> {
  const seal = new ProfileSeal(keys.vaultKeys);
  const identifiers = new Identifiers(keys.hmacKey);
  const since = until.getTime() - DAYS * DAY_MS;
  for (let first = 0; first < count; first += PEOPLE_CHUNK) {
    const people = Array.from({ length: Math.min(PEOPLE_CHUNK, count - first) }, (_, at) => {
      const number = first + at;
      const ms = since + (number * DAYS * DAY_MS) / count;
      const id = idAt('customer', ms);
      const profile = { customerName: `Customer ${number}`, person: { email: emailOf(number) } };
      return { number, id, created_at: new Date(ms), profile };
    });
    await chunk(owner, async (trx) => {
      await trx('bench.people').insert(people.map(({ number, id }) => ({ number, id })));
      await trx('customers').insert(
        people.map(({ number, id, created_at, profile }) => ({
          id,
          tenant_id: tenantId,
          customer_type: number % 50 === 0 ? 'Organization' : 'Person',
          status: statusOf(number),
          ...seal.seal(id, profile),
          status_since: created_at,
          created_at,
          updated_at: created_at,
        })),
      );
      await trx('customer_identifiers').insert(
        people.flatMap(({ id, profile }) =>
          identifiers.all(profile).map((one) => ({ ...one, customer_id: id, tenant_id: tenantId })),
        ),
      );
    });
  }
  say(`${count} customers`);
}

export const emailOf = (number: number) => `customer-${number}@example.com`;

/** One in a thousand is on hold, one in ten thousand blacklisted. */
function statusOf(number: number): string {
  if (number % 10_000 === 77) return 'blacklisted';
  if (number % 1_000 === 5) return 'on_hold';
  return number % 20 === 0 ? 'new' : 'verified';
}
