import { randomBytes } from 'node:crypto';
import { newId } from '../../../../src/domain/ids';
import type { CustomerStatus } from '../../../../src/domain/states/customer';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { ProfileSeal } from '../../../../src/people/customers/customer';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';

export const KEYS = `k1:${randomBytes(32).toString('base64')}`;
export const STAFF = { id: 'an admin', source: '127.0.0.1', requestId: 'req_1' };

/** A database of its own with a tenant, and another one. */
export interface Place {
  database: Database;
  tenantId: string;
  otherTenantId: string;
  close(): Promise<void>;
}

export async function openPlace(name: string): Promise<Place> {
  const own = await createTestDatabase(name);
  const database = openDatabase(own.logins, 4, `test-${name}`);
  await writeCatalogue(database.system);
  const seeded = await seedSandbox(database.system, new CallbackSecrets(KEYS));
  return {
    database,
    tenantId: seeded.tenantId,
    otherTenantId: seeded.other.tenantId,
    async close() {
      await database.close();
      await own.drop();
    },
  };
}

/** A person as a row; its history begins with `status`. */
export async function insertPerson(
  { database, tenantId }: Place,
  status: CustomerStatus = 'new',
  tenant = tenantId,
): Promise<{ id: string; tenant_id: string; status: CustomerStatus }> {
  const owner = { id: newId('customer'), tenant_id: tenant, status };
  const profile = { customerName: 'A Person', person: { email: `${owner.id}@example.com` } };
  await database.tenant(tenant, async (trx) => {
    await trx('customers').insert({
      ...owner,
      customer_type: 'Person',
      created_by: STAFF.id,
      ...new ProfileSeal(KEYS).seal(owner.id, profile),
    });
  });
  return owner;
}
