import type { Knex } from 'knex';
import { DomainError, type FieldError } from '../../domain/errors';
import { newId } from '../../domain/ids';
import type { CustomerStatus } from '../../domain/states/customer';
import type { Actor } from '../../foundation/audit-log/audit-log';
import { type Database, violates } from '../../foundation/db/database';
import { insertRows } from '../../foundation/db/insert-rows';
import type { CustomerProfile, CustomerRow, ProfileSeal } from './customer';
import type { Documents } from './documents';
import type { Identifiers } from './identifiers';
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

const ROWS_PER_INSERT = 500;

const CUSTOMER = {
  id: 'text',
  tenant_id: 'text',
  organization_id: 'text',
  reference: 'text',
  customer_type: 'text',
  status: 'text',
  profile_sealed: 'bytea',
  profile_key: 'bytea',
} as const;
const EVENT = { tenant_id: 'text', customer_id: 'text', to_status: 'text', actor: 'text', reason: 'text' } as const;
const IDENTIFIER = { tenant_id: 'text', customer_id: 'text', type: 'text', mac: 'bytea' } as const;

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
      return await this.database.tenant(tenantId, async (trx) => {
        const [customer] = await this.insert(trx, tenantId, actor, prepared);
        return this.whole(trx, customer!.row);
      });
    } catch (error) {
      if (!violates(error, 'customers_pkey')) throw error;
      return this.database.tenant(tenantId, async (trx) => {
        const row: CustomerRow = await trx('customers').where({ id: customerId }).first();
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

  /** All of them or none, inside the caller's transaction. Errors name fields by `[index].member` where there are several. */
  async insert(
    trx: Knex.Transaction,
    tenantId: string,
    actor: Actor,
    customers: readonly NewCustomer[],
    fieldAt: (index: number, member: string) => string = (_index, member) => member,
  ): Promise<Customer[]> {
    await this.refuseForeignOrganizations(trx, tenantId, customers, fieldAt);
    await this.refuseDuplicates(trx, tenantId, customers, fieldAt);
    const profiles = customers.map(({ record }) => profileOf(record));
    const rows = await this.insertRows(trx, tenantId, customers, profiles);
    const created = { tenant_id: tenantId, actor: actor.id, reason: 'created' };
    const events = rows.map(({ id, status }) => ({ ...created, customer_id: id, to_status: status }));
    await insertRows(trx, 'customer_events', EVENT, events);
    const documents = customers.map(({ record }) => record.person?.documents ?? []);
    const owning = rows.map((owner, at) => ({ owner, documents: documents[at]! }));
    await this.keys.documents.add(trx, owning);
    const owned = <T extends object>(id: string, part: T) => ({ ...part, customer_id: id, tenant_id: tenantId });
    const identifiers = customers.flatMap(({ id }, at) =>
      this.keys.identifiers.all(profiles[at]!).map((identifier) => owned(id, identifier)),
    );
    await insertRows(trx, 'customer_identifiers', IDENTIFIER, identifiers);
    const secrets = customers.flatMap(({ id, secrets }) => secrets.store.map((secret) => owned(id, secret)));
    if (secrets.length > 0) await trx.batchInsert('customer_secrets', secrets, ROWS_PER_INSERT);
    return rows.map((row, at) => ({ row, profile: profiles[at]! }));
  }

  private async insertRows(
    trx: Knex.Transaction,
    tenantId: string,
    customers: readonly NewCustomer[],
    profiles: CustomerProfile[],
  ): Promise<CustomerRow[]> {
    const values = customers.map(({ id, record }, at) => ({
      id,
      tenant_id: tenantId,
      organization_id: record.organizationId ?? null,
      reference: record.id || null,
      customer_type: record.customerType,
      status: record.customerStatus ?? ('new' satisfies CustomerStatus),
      ...this.keys.seal.seal(id, profiles[at]!),
    }));
    try {
      await insertRows(trx, 'customers', CUSTOMER, values);
    } catch (error) {
      // Somebody else took the id between the look and the insert.
      if (violates(error, 'customers_reference_once')) throw duplicate([]);
      throw error;
    }
    // One transaction, one now().
    const { created_at } = await trx('customers').where({ id: values[0]!.id }).first('created_at');
    return values.map((value) => ({
      ...value,
      version: 1,
      status_since: created_at,
      reopened_at: null,
      created_at,
      updated_at: created_at,
      deleted_at: null,
    }));
  }

  private async refuseForeignOrganizations(
    trx: Knex.Transaction,
    tenantId: string,
    customers: readonly NewCustomer[],
    fieldAt: (index: number, member: string) => string,
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

  private async refuseDuplicates(
    trx: Knex.Transaction,
    tenantId: string,
    customers: readonly NewCustomer[],
    fieldAt: (index: number, member: string) => string,
  ): Promise<void> {
    const wanted = customers.flatMap(({ record }) => record.id || []);
    if (wanted.length === 0) return;
    const taken = new Set<string>(
      await trx('customers')
        .where({ tenant_id: tenantId })
        .whereIn('reference', wanted)
        .whereNull('deleted_at')
        .pluck('reference'),
    );
    const details: FieldError[] = [];
    customers.forEach(({ record: { id } }, at) => {
      if (!id) return;
      if (taken.has(id)) details.push({ field: fieldAt(at, 'id'), message: 'is the id of another customer' });
      taken.add(id);
    });
    if (details.length > 0) throw duplicate(details);
  }
}

export function duplicate(details: FieldError[]): DomainError {
  return new DomainError('duplicate_customer', 'id is taken by another customer of this tenant', { details });
}

export function foreignOrganization(field: string): FieldError {
  return { field, message: 'is not an organization of this tenant' };
}
