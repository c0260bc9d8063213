import type { Knex } from 'knex';
import { found, notFound, refuse } from '../../domain/errors';
import type { Database } from '../../foundation/db/database';
import { paged } from '../../foundation/db/page';
import { findCustomer, lockCustomer } from '../../people/customers/customer';
import { type Acting, noteActing } from '../p2p/acting';
import {
  type Beneficiary,
  type BeneficiaryKeys,
  type BeneficiaryRow,
  recipientOf,
  type SavedRecipient,
} from './beneficiary';

/** The recipients a customer has saved. */
export class Beneficiaries {
  constructor(
    private readonly database: Database,
    private readonly keys: BeneficiaryKeys,
  ) {}

  /**
   * Saves a recipient; the one that is there already is answered as it is. Throws `not_found` for somebody who is no
   * customer of the tenant, `invalid_request` for the customer itself. An alias or an IBAN may be anybody's: who that is
   * shows when money is sent.
   */
  async add(
    tenantId: string,
    customerId: string,
    beneficiaryId: string,
    recipient: SavedRecipient,
    acting: Acting,
  ): Promise<{ beneficiary: Beneficiary; fresh: boolean }> {
    return this.database.tenant(tenantId, async (trx) => {
      // One after the other, so that the same recipient added twice at once is one object.
      await lockCustomer(trx, customerId);
      const macs = this.keys.macsOf(recipient);
      const known: BeneficiaryRow | undefined = await trx('beneficiaries')
        .where({ customer_id: customerId, type: recipient.type })
        .whereIn('mac', macs)
        .first();
      if (known) return { beneficiary: this.open(known), fresh: false };
      await refuseUnfit(trx, customerId, recipient);
      const [row]: BeneficiaryRow[] = await trx('beneficiaries')
        .insert({
          id: beneficiaryId,
          tenant_id: tenantId,
          customer_id: customerId,
          type: recipient.type,
          mac: macs[0],
          sealed: this.keys.seal(beneficiaryId, recipient),
        })
        .returning('*');
      await noteActing(trx, tenantId, acting, 'beneficiary_added', customerId, { beneficiaryId });
      return { beneficiary: this.open(row!), fresh: true };
    });
  }

  /** Gives it another name. Throws `not_found`. */
  async rename(
    tenantId: string,
    customerId: string,
    beneficiaryId: string,
    name: string,
    acting: Acting,
  ): Promise<Beneficiary> {
    return this.database.tenant(tenantId, async (trx) => {
      await lockCustomer(trx, customerId);
      const { recipient } = this.open(await findBeneficiary(trx, customerId, beneficiaryId));
      const [row]: BeneficiaryRow[] = await trx('beneficiaries')
        .where({ id: beneficiaryId })
        .update({ sealed: this.keys.seal(beneficiaryId, { ...recipient, name }), updated_at: trx.fn.now() })
        .returning('*');
      await noteActing(trx, tenantId, acting, 'beneficiary_renamed', customerId, { beneficiaryId });
      return this.open(row!);
    });
  }

  /** Standing orders to it go on. Throws `not_found`. */
  async remove(tenantId: string, customerId: string, beneficiaryId: string, acting: Acting): Promise<void> {
    await this.database.tenant(tenantId, async (trx) => {
      await lockCustomer(trx, customerId);
      const removed = await trx('beneficiaries').where({ id: beneficiaryId, customer_id: customerId }).delete();
      if (removed === 0) throw notFound('beneficiary');
      await noteActing(trx, tenantId, acting, 'beneficiary_removed', customerId, { beneficiaryId });
    });
  }

  /** Throws `not_found`, also for another customer's. */
  async find(tenantId: string, customerId: string, beneficiaryId: string): Promise<Beneficiary> {
    return this.database.tenant(tenantId, async (trx) => {
      await findCustomer(trx, customerId);
      return this.open(await findBeneficiary(trx, customerId, beneficiaryId));
    });
  }

  /** Up to `limit + 1`, newest first. Throws `not_found`. */
  async list(
    tenantId: string,
    customerId: string,
    { limit, cursor }: { limit: number; cursor?: string },
  ): Promise<Beneficiary[]> {
    return this.database.tenant(tenantId, async (trx) => {
      await findCustomer(trx, customerId);
      const query = paged(trx('beneficiaries').where({ customer_id: customerId }), { limit, cursor });
      return ((await query) as BeneficiaryRow[]).map((row) => this.open(row));
    });
  }

  open(row: BeneficiaryRow): Beneficiary {
    return { row, recipient: this.keys.open(row) };
  }
}

/** Throws `not_found`, also for another customer's. */
export async function findBeneficiary(
  trx: Knex.Transaction,
  customerId: string,
  beneficiaryId: string,
): Promise<BeneficiaryRow> {
  return found(await trx('beneficiaries').where({ id: beneficiaryId, customer_id: customerId }).first(), 'beneficiary');
}

async function refuseUnfit(trx: Knex.Transaction, customerId: string, recipient: SavedRecipient): Promise<void> {
  if (recipient.type === 'customer') await findCustomer(trx, recipient.value);
  const named = recipient.type === 'iban' ? await recipientOf(trx, recipient).catch(() => undefined) : undefined;
  const itself = named && 'customerId' in named ? named.customerId : recipient.value;
  if (itself === customerId) refuse(recipient.type === 'iban' ? 'iban' : 'customerId', 'is the customer itself');
}
