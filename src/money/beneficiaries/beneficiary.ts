import type { Knex } from 'knex';
import { parseAlias } from '../../domain/alias';
import { notFound } from '../../domain/errors';
import type { Keys } from '../../foundation/config/key-source';
import { Keyring, Mac } from '../../foundation/vault/keyring';
import { rehash } from '../../foundation/vault/rehash';
import { reseal } from '../../foundation/vault/reseal';
import type { Named } from '../p2p/recipient';

/** One row of `beneficiaries`. */
export interface BeneficiaryRow {
  id: string;
  tenant_id: string;
  customer_id: string;
  type: BeneficiaryType;
  mac: Buffer;
  sealed: Buffer;
  created_at: Date;
  updated_at: Date;
}

export const BENEFICIARY_TYPES = ['alias', 'customer', 'iban'] as const;
export type BeneficiaryType = (typeof BENEFICIARY_TYPES)[number];

/** A recipient that a customer saves, and the name that the customer gives it. */
export interface SavedRecipient {
  name: string;
  type: BeneficiaryType;
  /** The alias in its one form, the customer's id, or the IBAN without spaces. */
  value: string;
}

/** A beneficiary as its customer reads it. */
export interface Beneficiary {
  row: BeneficiaryRow;
  recipient: SavedRecipient;
}

/** Seals whom customers have saved; keyed hashes tell one recipient from another. */
export class BeneficiaryKeys {
  private readonly keys: Keyring;
  private readonly mac: Mac;

  /** `vaultKeys`: VAULT_KEYS; `hmacKey`: VAULT_HMAC_KEY. */
  constructor({ vaultKeys, hmacKey }: { vaultKeys: Keys; hmacKey: string }) {
    this.keys = new Keyring(vaultKeys, 'beneficiary');
    this.mac = new Mac(hmacKey, 'beneficiary');
  }

  /** What a recipient may be stored under, the newest key first. */
  macsOf({ type, value }: Pick<SavedRecipient, 'type' | 'value'>): Buffer[] {
    return this.mac.all(`${type}\0${value}`);
  }

  seal(id: string, recipient: SavedRecipient): Buffer {
    return this.keys.seal(Buffer.from(JSON.stringify(recipient)), id);
  }

  open(row: Pick<BeneficiaryRow, 'id' | 'sealed'>): SavedRecipient {
    return JSON.parse(this.keys.open(row.sealed, row.id).toString());
  }

  /** Brings the hashes of all beneficiaries under the newest key; answers how many changed. Runs as the system role. */
  rehash(system: Knex): Promise<number> {
    return rehash<BeneficiaryRow>(
      system,
      { table: 'beneficiaries', column: 'mac', also: ['sealed'] },
      (row) => this.macsOf(this.open(row))[0],
    );
  }

  /** Brings up to `limit` beneficiaries under the current key; answers how many. Runs as the system role. */
  reseal(system: Knex, limit?: number): Promise<number> {
    return reseal(system, this.keys, { table: 'beneficiaries', column: 'sealed' }, limit);
  }
}

/** Finds out who a saved recipient is now. Throws `not_found` for an IBAN that no wallet of the tenant has. */
export async function recipientOf(
  trx: Knex.Transaction,
  { type, value }: Pick<SavedRecipient, 'type' | 'value'>,
): Promise<Named> {
  if (type === 'customer') return { customerId: value };
  if (type === 'iban') {
    const account = await trx('ledger_accounts').where({ iban: value }).first('owner');
    if (!account) throw notFound('recipient');
    return { customerId: account.owner };
  }
  const alias = parseAlias(value);
  if (!alias) throw notFound('recipient');
  return alias;
}
