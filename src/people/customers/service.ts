import type { Knex } from 'knex';
import { DomainError, type FieldError, notFound } from '../../domain/errors';
import type { CustomerStatus } from '../../domain/states/customer';
import type { Actor } from '../../foundation/audit-log/audit-log';
import type { Keys } from '../../foundation/config/key-source';
import { type Database, violates } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { Messenger } from '../../foundation/messages/messenger';
import { DocumentKeys } from '../../foundation/vault/document-keys';
import { endTokens } from '../identity/customer-tokens';
import { noteCustomer, noteRead } from './audit-lines';
import { BulkCreation } from './bulk';
import { type CustomerProfile, type CustomerRow, findCustomer, lockCustomer, ProfileSeal } from './customer';
import { Documents } from './documents';
import { type Address, Identifiers } from './identifiers';
import { type CustomerRecord, changedSecrets, merged, missingOf, profileOf, verifiedDifferences } from './profile';
import { type Customer, type CustomerKeys, CustomerRegister, duplicate, foreignOrganization } from './register';
import { changesPassword, type SecretChange, SecretHashing, storeSecrets } from './secrets';
import { goneFrom, tellOfSignInChange } from './sign-in-letter';
import { reopen } from './status';

export interface CustomerFilter extends Page {
  organizationId?: string;
  status?: CustomerStatus;
  customerType?: string;
  /** A whole e-mail address, telephone number or id: ours, or the tenant's own. */
  search?: string;
}

/** What is done with customers: create, read, change. Reads by staff leave a line in the audit log. */
export class CustomerService {
  readonly keys: CustomerKeys;
  readonly register: CustomerRegister;
  readonly bulk: BulkCreation;
  private readonly messenger: Messenger;

  /** `vaultKeys`: VAULT_KEYS; `hmacKey`: VAULT_HMAC_KEY. */
  constructor(
    private readonly database: Database,
    { vaultKeys, hmacKey }: { vaultKeys: Keys; hmacKey: string },
  ) {
    this.keys = {
      seal: new ProfileSeal(vaultKeys),
      identifiers: new Identifiers(hmacKey),
      documents: new Documents(new DocumentKeys(vaultKeys)),
      secrets: new SecretHashing(hmacKey),
    };
    this.messenger = new Messenger(vaultKeys);
    this.register = new CustomerRegister(database, this.keys);
    this.bulk = new BulkCreation(database, this.register, hmacKey);
  }

  /** Throws `not_found`. `staff`: who reads somebody else's record; absent: the customer does. */
  async fetch(tenantId: string, customerId: string, staff?: Actor): Promise<Customer> {
    return this.database.tenant(tenantId, async (trx) => {
      const row = await findCustomer(trx, customerId);
      if (staff) await noteRead(trx, tenantId, staff, 'customer.read', [row.id]);
      return this.register.whole(trx, row);
    });
  }

  /** Up to `limit + 1` customers, newest first. Throws `not_found` for an organization that is not the tenant's. */
  async list(tenantId: string, staff: Actor, filter: CustomerFilter): Promise<Customer[]> {
    return this.database.tenant(tenantId, async (trx) => {
      const { limit, cursor, organizationId, status, customerType, search } = filter;
      if (organizationId) await requireOrganization(trx, organizationId);
      const query = paged(trx('customers').where({ tenant_id: tenantId }).whereNull('deleted_at'), { limit, cursor });
      if (organizationId) query.where({ organization_id: organizationId });
      if (status) query.where({ status });
      if (customerType) query.where({ customer_type: customerType });
      if (search) query.whereIn('id', await this.keys.identifiers.named(trx, tenantId, search));
      const rows: CustomerRow[] = await query;
      const shown = rows.slice(0, limit).map(({ id }) => id);
      await noteRead(trx, tenantId, staff, 'customer.list', shown);
      return this.register.open(trx, rows);
    });
  }

  /**
   * Merges a partial record into a customer's. Where it changes what was verified, a person has to look at the customer
   * again: see `reopen`. Throws `not_found`, `duplicate_customer`, and `invalid_request` when
   * something required would be missing. Other addresses, or another password, end the customer's sessions and are told to
   * the addresses of before. `session`: the digest of the customer's own token, which stays.
   */
  async update(
    tenantId: string,
    actor: Actor,
    customerId: string,
    patch: Record<string, unknown>,
    session?: string,
  ): Promise<Customer> {
    const secrets = await this.keys.secrets.change(customerId, changedSecrets(patch));
    try {
      return await this.database.tenant(tenantId, async (trx) => {
        const row = await lockCustomer(trx, customerId);
        const { profile: earlier } = await this.register.whole(trx, row);
        const record = merged(
          { ...earlier, organizationId: row.organization_id ?? undefined },
          patch,
        ) as CustomerRecord;
        await this.refuseUnfit(trx, row, patch, record);
        const profile = profileOf(record, earlier);
        const [changed] = await trx('customers')
          .where({ id: row.id })
          .update({
            organization_id: record.organizationId ?? null,
            reference: record.id || null,
            customer_type: record.customerType,
            ...this.keys.seal.seal(row.id, profile),
            version: row.version + 1,
            updated_at: trx.fn.now(),
          })
          .returning('*');
        await this.keys.documents.sync(trx, changed, record.person?.documents ?? []);
        await this.keys.identifiers.replace(trx, row.id, tenantId, profile);
        await storeSecrets(trx, tenantId, row.id, secrets);
        await this.endSignIns(trx, row, [earlier, profile], { secrets, session });
        await noteCustomer(trx, tenantId, actor, 'customer.update', row.id, { members: Object.keys(patch) });
        return this.register.whole(trx, await reopenedBy(trx, changed, [earlier, profile], actor));
      });
    } catch (error) {
      if (violates(error, 'customers_reference_once'))
        throw duplicate([{ field: 'id', message: 'is the id of another customer' }]);
      throw error;
    }
  }

  /** Whether a partial record would change where codes and links for a customer go. Throws `not_found`. */
  async movesAddresses(tenantId: string, customerId: string, patch: Record<string, unknown>): Promise<boolean> {
    return this.database.tenant(tenantId, async (trx) => {
      const { profile } = await this.register.whole(trx, await findCustomer(trx, customerId));
      return this.moved(profile, merged(profile, patch)).isOther;
    });
  }

  private moved(earlier: CustomerProfile, later: CustomerProfile) {
    const [before, after] = [earlier, later].map((profile) => this.keys.identifiers.addresses(profile)) as [
      Address[],
      Address[],
    ];
    const gone = goneFrom(before, after);
    return { before, gone, isOther: gone.length > 0 || goneFrom(after, before).length > 0 };
  }

  private async endSignIns(
    trx: Knex.Transaction,
    { id, tenant_id }: CustomerRow,
    [earlier, profile]: [CustomerProfile, CustomerProfile],
    { secrets, session }: { secrets: SecretChange; session?: string },
  ): Promise<void> {
    const { before, gone, isOther } = this.moved(earlier, profile);
    if (isOther && before.length > 0) {
      await endTokens(trx, id, session);
      await tellOfSignInChange(trx, this.messenger, tenant_id, 'address', before, gone);
    }
    if (changesPassword(secrets)) await tellOfSignInChange(trx, this.messenger, tenant_id, 'password', before);
  }

  private async refuseUnfit(
    trx: Knex.Transaction,
    row: CustomerRow,
    patch: Record<string, unknown>,
    record: CustomerRecord,
  ): Promise<void> {
    const details: FieldError[] = missingOf(record).map((field) => ({ field, message: 'is required' }));
    if (patch.customerStatus !== undefined && patch.customerStatus !== row.status)
      details.push({ field: 'customerStatus', message: 'cannot be changed here' });
    const { organizationId } = record;
    if (organizationId && organizationId !== row.organization_id) {
      const own = await trx('organizations').where({ id: organizationId, tenant_id: row.tenant_id }).first('id');
      if (!own) details.push(foreignOrganization('organizationId'));
    }
    if (details.length === 0) return;
    const message = details.map(({ field, message }) => `${field} ${message}`).join('; ');
    throw new DomainError('invalid_request', message, { details });
  }
}

async function reopenedBy(
  trx: Knex.Transaction,
  customer: CustomerRow,
  [earlier, profile]: [CustomerProfile, CustomerProfile],
  actor: Actor,
): Promise<CustomerRow> {
  if (customer.status !== 'verified' && customer.status !== 'under_investigation') return customer;
  const members = verifiedDifferences(earlier as CustomerRecord, profile as CustomerRecord);
  return members.length > 0 ? reopen(trx, customer, members, actor.id) : customer;
}

async function requireOrganization(trx: Knex.Transaction, organizationId: string): Promise<void> {
  const own = await trx('organizations').where({ id: organizationId }).first('id');
  if (!own) throw notFound('organization');
}
