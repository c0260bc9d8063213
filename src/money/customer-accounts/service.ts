import { notFound } from '../../domain/errors';
import type { Actor } from '../../foundation/audit-log/audit-log';
import type { Keys } from '../../foundation/config/key-source';
import type { Database } from '../../foundation/db/database';
import { noteCustomer } from '../../people/customers/audit-lines';
import { lockCustomer } from '../../people/customers/customer';
import type { CustomerService } from '../../people/customers/service';
import { BeneficiaryKeys } from '../beneficiaries/beneficiary';
import { AliasKeys } from '../p2p/alias-keys';
import { eraseCustomer } from './erasure';
import { CustomerExporter } from './export';
import { type Transaction, transactionsOf } from './transactions';

/** The whole of what the platform holds for one customer: its history, its export, and its end. */
export class CustomerAccounts {
  readonly exporter: CustomerExporter;

  /** `vaultKeys`: VAULT_KEYS; `hmacKey`: VAULT_HMAC_KEY. */
  constructor(
    private readonly database: Database,
    private readonly customers: CustomerService,
    { vaultKeys, hmacKey }: { vaultKeys: Keys; hmacKey: string },
  ) {
    const { register, keys } = customers;
    this.exporter = new CustomerExporter(
      database,
      register,
      keys.documents,
      new BeneficiaryKeys({ vaultKeys, hmacKey }),
      new AliasKeys(keys.identifiers, { vaultKeys, hmacKey }),
    );
  }

  /** Payments, top-ups and transfers, newest first, up to `limit + 1`; of an erased customer too. Throws `not_found`. */
  async transactions(
    tenantId: string,
    customerId: string,
    page: { limit: number; cursor?: string },
  ): Promise<Transaction[]> {
    return this.database.tenant(tenantId, async (trx) => {
      if (!(await trx('customers').where({ id: customerId }).first('id'))) throw notFound('customer');
      return transactionsOf(trx, customerId, page);
    });
  }

  /** Erases a customer; the payments stay. Throws `not_found` and `customer_in_use`. Answers when. */
  async erase(tenantId: string, actor: Actor, customerId: string): Promise<Date> {
    return this.database.tenant(tenantId, async (trx) => {
      const row = await lockCustomer(trx, customerId);
      await this.customers.keys.documents.erase(trx, row.id);
      const at = await eraseCustomer(trx, row);
      await noteCustomer(trx, tenantId, actor, 'customer.delete', row.id);
      return at;
    });
  }
}
