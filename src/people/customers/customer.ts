import type { Knex } from 'knex';
import { DomainError, found, refuse } from '../../domain/errors';
import { type CustomerStatus, isBlocked } from '../../domain/states/customer';
import type { Keys } from '../../foundation/config/key-source';
import { freshKey, Keyring, openWith, sealWith } from '../../foundation/vault/keyring';
import { reseal } from '../../foundation/vault/reseal';

/** One row of `customers`. */
export interface CustomerRow {
  id: string;
  tenant_id: string;
  organization_id: string | null;
  reference: string | null;
  customer_type: 'Person' | 'Organization';
  status: CustomerStatus;
  profile_sealed: Buffer | null;
  profile_key: Buffer | null;
  version: number;
  /** When it came to its status. */
  status_since: Date;
  /** What was verified has changed: it waits for a person who looks at it again. */
  reopened_at: Date | null;
  created_at: Date;
  /** Null for those whose history has an event of it. */
  created_by: string | null;
  updated_at: Date;
  deleted_at: Date | null;
}

/** The documented customer record without its secrets: what is returned as it came. */
export type CustomerProfile = Record<string, unknown>;

/** Seals profiles, each under a data key of its own that is wrapped by a key of VAULT_KEYS. */
export class ProfileSeal {
  private readonly wrapping: Keyring;

  /** `setting`: VAULT_KEYS. */
  constructor(setting: Keys) {
    this.wrapping = new Keyring(setting, 'customer-profile');
  }

  seal(customerId: string, profile: CustomerProfile): { profile_sealed: Buffer; profile_key: Buffer } {
    const dataKey = freshKey();
    return {
      profile_sealed: sealWith(dataKey, Buffer.from(JSON.stringify(profile)), customerId),
      profile_key: this.wrapping.seal(dataKey, customerId),
    };
  }

  /** Throws RangeError for a customer who was erased. */
  open({ id, profile_key, profile_sealed }: CustomerRow): CustomerProfile {
    if (!profile_key || !profile_sealed) throw new RangeError(`customer ${id} was erased`);
    return JSON.parse(openWith(this.wrapping.open(profile_key, id), profile_sealed, id).toString());
  }

  /** Wraps up to `limit` data keys anew under the current key; answers how many. Runs as the system role. */
  rewrap(system: Knex, limit?: number): Promise<number> {
    return reseal(system, this.wrapping, { table: 'customers', column: 'profile_key' }, limit);
  }
}

/** A customer of the tenant whose transaction this is. Throws `not_found` also for one who was deleted. */
export async function findCustomer(trx: Knex.Transaction, customerId: string): Promise<CustomerRow> {
  return found(await trx('customers').where({ id: customerId }).whereNull('deleted_at').first(), 'customer');
}

/** The same, locked until the transaction ends. */
export async function lockCustomer(trx: Knex.Transaction, customerId: string): Promise<CustomerRow> {
  return found(
    await trx('customers').where({ id: customerId }).whereNull('deleted_at').forUpdate().first(),
    'customer',
  );
}

/** One message for a customer of somebody else and for one who is not there. */
export const NOT_YOURS = 'is not a customer of yours';

/**
 * The customer who is to pay, top up or send, locked against a change of status until the transaction ends. Throws
 * `invalid_request` naming `field` for one who is not the tenant's, `customer_blocked` for one who may not.
 */
export async function requireUnblocked(
  trx: Knex.Transaction,
  customerId: string,
  field = 'customerId',
): Promise<CustomerRow> {
  const row = await holdCustomer(trx, customerId, field);
  assertMayTransact(row);
  return row;
}

/** The same customer, who may be blocked: see `assertMayTransact`. */
export async function holdCustomer(trx: Knex.Transaction, customerId: string, field: string): Promise<CustomerRow> {
  const row: CustomerRow | undefined = await trx('customers')
    .where({ id: customerId })
    .whereNull('deleted_at')
    .forShare()
    .first();
  return row ?? refuse(field, NOT_YOURS);
}

/** Throws `customer_blocked` for a customer who may not pay, top up or send. The row has to be locked. */
export function assertMayTransact({ status }: Pick<CustomerRow, 'status'>): void {
  if (isBlocked(status))
    throw new DomainError('customer_blocked', 'This customer’s status does not allow moving money');
}
