import { setImmediate as turn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { DomainError, type FieldError } from '../../domain/errors';
import { newId } from '../../domain/ids';
import type { CustomerStatus } from '../../domain/states/customer';
import type { Actor } from '../../foundation/audit-log/audit-log';
import { columnArray } from '../../foundation/db/column-array';
import { type Database, violates } from '../../foundation/db/database';
import { type CustomerProfile, type CustomerRow, findCustomer, type ProfileSeal } from './customer';
import type { Documents } from './documents';
import type { Identifiers } from './identifiers';
import { insertionOf, type NewRow } from './new-rows';
import { type CustomerRecord, profileOf, secretsOf } from './profile';
import type { SecretChange, SecretHashing } from './secrets';

/** A customer with the opened profile. */
export interface Customer {
  row: CustomerRow;
  profile: CustomerProfile;
}

/** A customer to be written down; its secrets are hashed already. */
export interface NewCustomer {
  id: string;
  record: CustomerRecord;
  secrets: SecretChange;
}

export interface CustomerKeys {
  seal: ProfileSeal;
  identifiers: Identifiers;
  documents: Documents;
  secrets: SecretHashing;
}

/** What a member of a customer in a list is called in errors. */
type FieldAt = (index: number, member: string) => string;
const asItIs: FieldAt = (_index, member) => member;

/** What an insert ends with where the customer is there: Postgres names the first index that it finds, the id's or another. */
const TAKEN = new Set(['23505', 'duplicate_customer']);
const SECRETS_PER_INSERT = 500;
/** Customers of the first statement; each next one has twice as many. Postgres begins early, and gets few of them. */
const FIRST_AT_ONCE = 100;
/** Customers that are sealed before anything else has its turn. */
const SEALED_AT_ONCE = 50;

/** Writes new customers down. */
export class CustomerRegister {
  constructor(
    private readonly database: Database,
    private readonly keys: CustomerKeys,
  ) {}

  /** Hashes the secrets of new customers: slow on purpose, and never inside a transaction. */
  async prepare(records: readonly CustomerRecord[], idOf = () => newId('customer')): Promise<NewCustomer[]> {
    const fresh = records.map((record) => ({ id: idOf(), record }));
    const stated = fresh.map(({ id, record }) => ({ customerId: id, secrets: secretsOf(record) }));
    const secrets = await this.keys.secrets.changes(stated);
    return fresh.map((customer, at) => ({ ...customer, secrets: secrets[at]! }));
  }

  /**
   * Writes one customer down. The same id again answers the one that is there (a repeat after a crash). Throws
   * `duplicate_customer` when its own id is taken, `invalid_request` for a foreign organization.
   */
  async create(tenantId: string, actor: Actor, customerId: string, record: CustomerRecord): Promise<Customer> {
    const prepared = await this.prepare([record], () => customerId);
    try {
      return await this.insertAll(tenantId, prepared, async (trx) => {
        await this.insert(trx, tenantId, actor, prepared);
        return this.whole(trx, await findCustomer(trx, customerId));
      });
    } catch (error) {
      if (!TAKEN.has((error as { code?: string }).code ?? '')) throw error;
      return this.database.tenant(tenantId, async (trx) => {
        const row: CustomerRow | undefined = await trx('customers').where({ id: customerId }).first();
        // It was not this customer.
        if (!row) throw error;
        if (row.deleted_at) throw new DomainError('invalid_state', 'This customer was deleted since');
        return this.whole(trx, row);
      });
    }
  }

  /** A customer as a row, opened. */
  async whole(trx: Knex.Transaction, row: CustomerRow): Promise<Customer> {
    return (await this.open(trx, [row]))[0]!;
  }

  /** Customers with their profiles, documents as they stand included. */
  async open(trx: Knex.Transaction, rows: readonly CustomerRow[]): Promise<Customer[]> {
    const customers = rows.map((row) => ({
      row,
      profile: this.keys.seal.open(row) as CustomerRecord & CustomerProfile,
    }));
    const owning = customers.filter(({ profile }) => profile.person?.documents);
    if (owning.length === 0) return customers;
    const owners = owning.map(({ row }) => row.id);
    const documents = await this.keys.documents.present(trx, owners);
    for (const { row, profile } of owning) profile.person!.documents = documents.get(row.id) ?? [];
    return customers;
  }

  /**
   * A transaction in which `work` inserts these customers. Postgres finds an id that is taken; who took it is looked for
   * only then. Throws `duplicate_customer`.
   */
  async insertAll<T>(
    tenantId: string,
    customers: readonly NewCustomer[],
    work: (trx: Knex.Transaction) => Promise<T>,
    fieldAt = asItIs,
  ): Promise<T> {
    try {
      return await this.database.tenant(tenantId, work);
    } catch (error) {
      if (!violates(error, 'customers_reference_once')) throw error;
      throw duplicate(await this.database.tenant(tenantId, (trx) => duplicatesOf(trx, tenantId, customers, fieldAt)));
    }
  }

  /**
   * All of them or none, inside the caller's transaction. Errors name fields by `[index].member` where there are several.
   * Postgres writes some down while the next ones are sealed. `claim` makes a query while the last ones are written, to be
   * sent after them.
   */
  async insert(
    trx: Knex.Transaction,
    tenantId: string,
    actor: Actor,
    customers: readonly NewCustomer[],
    { fieldAt = asItIs, claim }: { fieldAt?: FieldAt; claim?: () => PromiseLike<unknown> } = {},
  ): Promise<void> {
    await this.refuseForeignOrganizations(trx, tenantId, customers, fieldAt);
    // Fails with what failed first, and sends nothing after it.
    let [before, last]: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];
    const queue = async (send: () => PromiseLike<unknown>) => {
      // Postgres works on one query, and one more may wait for it.
      await before;
      [before, last] = [last, last!.then(send)];
      last.catch(() => {});
    };
    try {
      for (let from = 0, count = FIRST_AT_ONCE; from < customers.length; from += count, count *= 2) {
        const part = customers.slice(from, from + count);
        const insertion = insertionOf(trx, tenantId, actor.id, await this.sealed(part));
        await queue(() => insertion);
      }
      if (claim) {
        await turn();
        const claiming = claim();
        await queue(() => claiming);
      }
      await last;
    } finally {
      // Whoever ends the transaction now finds Postgres at rest.
      await Promise.allSettled([last]);
    }
    const owning = customers.map(({ id, record }) => ({
      owner: { id, tenant_id: tenantId, status: statusOf(record) },
      documents: record.person?.documents ?? [],
    }));
    await this.keys.documents.add(trx, owning);
    const owned = <T extends object>(id: string, part: T) => ({ ...part, customer_id: id, tenant_id: tenantId });
    const secrets = customers.flatMap(({ id, secrets }) => secrets.store.map((secret) => owned(id, secret)));
    if (secrets.length > 0) await trx.batchInsert('customer_secrets', secrets, SECRETS_PER_INSERT);
  }

  /** Lets others have their turn now and then, the socket to Postgres among them. */
  private async sealed(customers: readonly NewCustomer[]): Promise<NewRow[]> {
    const rows: NewRow[] = [];
    for (const [at, { id, record }] of customers.entries()) {
      if (at % SEALED_AT_ONCE === 0) await turn();
      const profile = profileOf(record);
      rows.push({
        id,
        organization_id: record.organizationId ?? null,
        reference: record.id || null,
        customer_type: record.customerType,
        status: statusOf(record),
        ...this.keys.seal.seal(id, profile),
        identifiers: this.keys.identifiers.all(profile),
      });
    }
    return rows;
  }

  private async refuseForeignOrganizations(
    trx: Knex.Transaction,
    tenantId: string,
    customers: readonly NewCustomer[],
    fieldAt: FieldAt,
  ): Promise<void> {
    const named = [...new Set(customers.flatMap(({ record }) => record.organizationId ?? []))];
    if (named.length === 0) return;
    const own = await trx('organizations').where({ tenant_id: tenantId }).whereIn('id', named).pluck('id');
    const details = customers.flatMap(({ record: { organizationId } }, at) =>
      organizationId && !own.includes(organizationId) ? foreignOrganization(fieldAt(at, 'organizationId')) : [],
    );
    if (details.length > 0)
      throw new DomainError('invalid_request', 'organizationId names no organization of this tenant', { details });
  }
}

async function duplicatesOf(
  trx: Knex.Transaction,
  tenantId: string,
  customers: readonly NewCustomer[],
  fieldAt: FieldAt,
): Promise<FieldError[]> {
  const wanted = customers.flatMap(({ record }) => record.id || []);
  const taken = new Set<string>(
    await trx('customers')
      .where({ tenant_id: tenantId })
      .whereRaw('reference = ANY(?::text[])', [columnArray('text', wanted)])
      .whereNull('deleted_at')
      .pluck('reference'),
  );
  const details: FieldError[] = [];
  customers.forEach(({ record: { id } }, at) => {
    if (!id) return;
    if (taken.has(id)) details.push({ field: fieldAt(at, 'id'), message: 'is the id of another customer' });
    taken.add(id);
  });
  return details;
}

function statusOf({ customerStatus }: CustomerRecord): CustomerStatus {
  return customerStatus ?? 'new';
}

export function duplicate(details: FieldError[]): DomainError {
  return new DomainError('duplicate_customer', 'id is taken by another customer of this tenant', { details });
}

export function foreignOrganization(field: string): FieldError {
  return { field, message: 'is not an organization of this tenant' };
}
