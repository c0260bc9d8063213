import type { Knex } from 'knex';
import type { Database } from '../db/database';
import type { PaymentRow } from '../payments/payment';
import type { SavedCardRow } from '../payments/saved-card';
import { findCustomer, type ProfileSeal } from './customer';
import { savedCards } from './payment-methods';
import { type Actor, noteRead } from './reads';
import type { Customer } from './register';

/** One change of a customer's status: a row of `customer_events`. */
export interface CustomerEventRow {
  from_status: string | null;
  to_status: string;
  actor: string;
  reason: string;
  at: Date;
}

/** Somebody looked at the customer, or changed it: a row of the audit log. */
export interface CustomerAuditRow {
  actor: string;
  action: string;
  source: string | null;
  at: Date;
}

/** Everything that is held about a customer, secrets and card numbers apart. */
export interface CustomerExport {
  customer: Customer;
  statusHistory: CustomerEventRow[];
  /** What the customer can be found by. The values stand in the profile: only keyed hashes are stored of them. */
  identifiers: { type: string; verified_at: Date | null }[];
  /** Which secrets are stored, never what they are. */
  secrets: { kind: string; updated_at: Date }[];
  payments: PaymentRow[];
  paymentMethods: SavedCardRow[];
  mandates: { id: string; iban_last4: string; account_holder: string; signed_at: Date; state: string }[];
  audit: CustomerAuditRow[];
}

/** Collects all that is held about a customer, for the customer to have (GDPR articles 15 and 20). */
export class CustomerExporter {
  constructor(
    private readonly database: Database,
    private readonly seal: ProfileSeal,
  ) {}

  /** Throws `not_found`. `staff`: who asks for somebody else's record. */
  async collect(tenantId: string, customerId: string, staff?: Actor): Promise<CustomerExport> {
    const held = await this.database.tenant(tenantId, async (trx) => {
      const row = await findCustomer(trx, customerId);
      if (staff) await noteRead(trx, tenantId, staff, 'customer.export', [customerId]);
      return { customer: { row, profile: this.seal.open(row) }, ...(await partsOf(trx, customerId)) };
    });
    return { ...held, audit: await this.audit(tenantId, customerId) };
  }

  /** The application's role writes the audit log and cannot read it. */
  private async audit(tenantId: string, customerId: string): Promise<CustomerAuditRow[]> {
    const { rows } = await this.database.system.raw(
      `SELECT id, actor, action, source, at FROM audit_log
       WHERE tenant_id = :tenantId AND action LIKE 'customer.%' AND target = :customerId
       UNION ALL
       SELECT id, actor, action, source, at FROM audit_log
       WHERE tenant_id = :tenantId AND action = 'customer.list' AND detail->'customerIds' @> to_jsonb(:customerId::text)
       ORDER BY id`,
      { tenantId, customerId },
    );
    return rows;
  }
}

async function partsOf(trx: Knex.Transaction, customerId: string): Promise<Omit<CustomerExport, 'customer' | 'audit'>> {
  const own = { customer_id: customerId };
  return {
    statusHistory: await trx('customer_events').where(own).orderBy('id'),
    identifiers: await trx('customer_identifiers').where(own).orderBy('type').select('type', 'verified_at'),
    secrets: await trx('customer_secrets').where(own).orderBy('kind').select('kind', 'updated_at'),
    payments: await trx('payments').where(own).orderBy('id'),
    paymentMethods: await savedCards(trx, customerId),
    mandates: await trx('mandates').where(own).orderBy('id'),
  };
}
