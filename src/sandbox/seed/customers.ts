import type { Knex } from 'knex';
import { newId } from '../../domain/ids';
import type { Keys } from '../../foundation/config/key-source';
import type { Database } from '../../foundation/db/database';
import { DocumentKeys } from '../../foundation/vault/document-keys';
import { ProfileSeal } from '../../people/customers/customer';
import { Documents } from '../../people/customers/documents';
import { Identifiers } from '../../people/customers/identifiers';
import type { CustomerRecord } from '../../people/customers/profile';
import { CustomerRegister } from '../../people/customers/register';
import { SecretHashing } from '../../people/customers/secrets';
import { newSecret } from '../../people/identity/clients';
import { hashPassword, passwordMatches } from '../../people/identity/passwords';
import type { SeededTenant } from './tenants';

/** The sandbox customer of a tenant, and how it signs in. */
export interface SeededCustomer {
  customerId: string;
  email: string;
  password: string;
}

type Earlier = { customer?: Partial<SeededCustomer> };

/** Its own id in the tenant: what it is found by at the next start. */
const REFERENCE = 'sandbox-customer';
/** Held while seeding, so that two starts on one database do not seed twice. */
const SEED_LOCK = 7_301_145_224;

/**
 * Gives each sandbox tenant one customer with a verified e-mail address and telephone number, or finds it. A password
 * that `earlier` still knows stays; one that nobody knows any more is replaced.
 */
export async function seedCustomers<First extends SeededTenant, Other extends SeededTenant>(
  database: Database,
  keys: { vaultKeys: Keys; hmacKey: string },
  seeded: First & { other: Other },
  earlier: Earlier & { other?: Earlier } = {},
): Promise<First & { customer: SeededCustomer; other: Other & { customer: SeededCustomer } }> {
  const identifiers = new Identifiers(keys.hmacKey);
  const secrets = new SecretHashing(keys.hmacKey);
  const register = new CustomerRegister(database, {
    seal: new ProfileSeal(keys.vaultKeys),
    documents: new Documents(new DocumentKeys(keys.vaultKeys)),
    identifiers,
    secrets,
  });
  const one = (tenantId: string, record: CustomerRecord, known: Earlier['customer']): Promise<SeededCustomer> =>
    database.tenant(tenantId, async (trx) => {
      await trx.raw('SELECT pg_advisory_xact_lock(?)', [SEED_LOCK]);
      const row = await trx('customers').where({ reference: REFERENCE }).whereNull('deleted_at').first('id');
      const email = record.person!.email!;
      if (row) return { customerId: row.id, email, password: await passwordOf(trx, row.id, tenantId, known?.password) };
      const password = newSecret();
      const customerId = newId('customer');
      const whole = { ...record, person: { ...record.person, password } };
      const actor = { id: 'seed of the sandbox', source: '', requestId: '' };
      await register.insert(trx, tenantId, actor, await register.prepare([whole], () => customerId));
      await trx('customer_identifiers').where({ customer_id: customerId }).update({ verified_at: trx.fn.now() });
      return { customerId, email, password };
    });
  return {
    ...seeded,
    customer: await one(seeded.tenantId, recordOf('Ada', 'Lovelace', '+447700900001'), earlier.customer),
    other: {
      ...seeded.other,
      customer: await one(seeded.other.tenantId, recordOf('Grace', 'Hopper', '+447700900002'), earlier.other?.customer),
    },
  };
}

/** Names of the dead, addresses that RFC 2606 keeps free, numbers that Ofcom keeps for fiction. */
function recordOf(firstName: string, lastName: string, number: string): CustomerRecord {
  return {
    id: REFERENCE,
    customerType: 'Person',
    customerName: `${firstName} ${lastName}`,
    customerStatus: 'verified',
    person: {
      firstName: { name: firstName },
      lastName: { name: lastName },
      email: `${firstName.toLowerCase()}@customer.example`,
      telephoneNumbers: [{ phoneType: 'mobile', number }],
    },
  };
}

async function passwordOf(
  trx: Knex.Transaction,
  customerId: string,
  tenantId: string,
  known: string | undefined,
): Promise<string> {
  const row = await trx('customer_secrets').where({ customer_id: customerId, kind: 'password' }).first('hash');
  if (known && (await passwordMatches(row?.hash.toString(), known))) return known;
  const password = newSecret();
  const hash = Buffer.from(await hashPassword(password));
  await trx('customer_secrets')
    .insert({ customer_id: customerId, tenant_id: tenantId, kind: 'password', hash })
    .onConflict(['customer_id', 'kind'])
    .merge({ hash, failures: 0, locked_until: null, updated_at: trx.fn.now() });
  return password;
}
