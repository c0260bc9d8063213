import type { Knex } from 'knex';
import type { Mandate } from '../../domain/connector';
import { refuse } from '../../domain/errors';
import type { Database } from '../../foundation/db/database';
import type { Vault } from '../../foundation/vault/vault';
import type { PaymentRow } from './payment';

/** A new mandate, as the merchant sent it. */
export interface MandateOrder {
  mandateId: string;
  /** Without spaces, upper case. */
  iban: string;
  accountHolder: string;
  /** RFC 3339 UTC */
  signedAt: string;
}

/** Direct debit mandates: the account number is sealed, the rest is shown. */
export class Mandates {
  constructor(
    private readonly database: Database,
    private readonly vault: Vault,
  ) {}

  /** Writes down a mandate with the first payment that collects under it, in that payment's transaction. */
  async create(
    trx: Knex.Transaction,
    owner: { tenantId: string; organizationId: string; customerId?: string; paymentId: string },
    order: MandateOrder,
  ): Promise<void> {
    await trx('mandates').insert({
      id: order.mandateId,
      tenant_id: owner.tenantId,
      organization_id: owner.organizationId,
      customer_id: owner.customerId ?? null,
      iban_sealed: this.vault.sealIban(order.mandateId, order.iban),
      iban_last4: order.iban.slice(-4),
      account_holder: order.accountHolder,
      signed_at: order.signedAt,
      first_payment_id: owner.paymentId,
    });
  }

  /** Throws `invalid_request` unless the mandate is the organization's and still active. */
  async check(trx: Knex.Transaction, organizationId: string, mandateId: string): Promise<void> {
    const known = await trx('mandates')
      .where({ id: mandateId, organization_id: organizationId, state: 'active' })
      .first('id');
    if (known) return;
    refuse('directDebit.mandateId', 'is not an active mandate of this organization');
  }

  /** A payment's mandate, complete, for its processor. */
  async open(payment: PaymentRow, mandateId: string): Promise<Mandate> {
    const row = await this.database.tenant(payment.tenant_id, (trx) =>
      trx('mandates').where({ id: mandateId }).first(),
    );
    return {
      mandateId,
      iban: this.vault.openIban(mandateId, row.iban_sealed),
      accountHolder: row.account_holder,
      signedAt: row.signed_at.toISOString(),
      first: row.first_payment_id === payment.id,
    };
  }
}
