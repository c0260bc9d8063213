import type { Knex } from 'knex';
import { DomainError } from '../../domain/errors';
import type { Actor } from '../../foundation/audit-log/audit-log';
import { columnArray } from '../../foundation/db/column-array';
import { type Database, violates } from '../../foundation/db/database';
import { Mac } from '../../foundation/vault/keyring';
import type { CustomerRecord } from './profile';
import type { CustomerRegister } from './register';

export interface BulkResult {
  customerIds: string[];
  /** True when an earlier request of this name did it. */
  replayed: boolean;
}

/** Creates up to a thousand customers at once, all or none, once per name of the request. */
export class BulkCreation {
  private readonly mac: Mac;

  /** `setting`: VAULT_HMAC_KEY. */
  constructor(
    private readonly database: Database,
    private readonly register: CustomerRegister,
    setting: string,
  ) {
    this.mac = new Mac(setting, 'customer-bulk-request');
  }

  /**
   * `request`: everything that makes two requests the same; only its HMAC is stored, because it holds passwords. Throws
   * `bulk_token_reused` for another request under the same name, and what `CustomerRegister.insert` throws.
   */
  async create(
    tenantId: string,
    actor: Actor,
    { token, request, records }: { token: string; request: () => string; records: CustomerRecord[] },
  ): Promise<BulkResult> {
    // Postgres finds what was done already. Hashing passwords is slow: that is not done for it.
    const earlier = records.some(({ person }) => person?.password) && (await this.find(tenantId, token, request));
    if (earlier) return earlier;
    const customers = await this.register.prepare(records);
    const customerIds = customers.map(({ id }) => id);
    try {
      const fieldAt = (index: number, member: string) => `[${index}].${member}`;
      // Two requests of one name wait for each other at the claim, or before it at the first id that both have.
      const insert = (trx: Knex.Transaction) =>
        this.register.insert(trx, tenantId, actor, customers, {
          fieldAt,
          claim: () => this.claim(trx, { tenantId, token, request: request(), customerIds }),
        });
      await this.register.insertAll(tenantId, customers, insert, fieldAt);
    } catch (error) {
      const isTaken =
        violates(error, 'customer_bulk_requests_pkey') || (error as DomainError).code === 'duplicate_customer';
      const known = isTaken && (await this.find(tenantId, token, request));
      if (known) return known;
      throw error;
    }
    return { customerIds, replayed: false };
  }

  /** Is sent once it is awaited. */
  private claim(
    trx: Knex.Transaction,
    {
      tenantId,
      token,
      request,
      customerIds,
    }: { tenantId: string; token: string; request: string; customerIds: string[] },
  ): PromiseLike<unknown> {
    return trx('customer_bulk_requests').insert({
      tenant_id: tenantId,
      token,
      request_mac: this.mac.of(request),
      customer_ids: columnArray('text', customerIds),
    });
  }

  private async find(tenantId: string, token: string, request: () => string): Promise<BulkResult | undefined> {
    const row = await this.database.tenant(tenantId, (trx) =>
      trx('customer_bulk_requests').where({ tenant_id: tenantId, token }).first(),
    );
    if (!row) return undefined;
    if (!this.mac.matches(row.request_mac, request()))
      throw new DomainError('bulk_token_reused', 'This token was used for a different bulk request');
    return { customerIds: row.customer_ids, replayed: true };
  }
}
