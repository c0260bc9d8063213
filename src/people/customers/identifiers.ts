import type { Knex } from 'knex';
import parsePhoneNumber, { type CountryCode } from 'libphonenumber-js';
import { includesMac, Mac } from '../../foundation/vault/keyring';
import { inBatches } from '../../foundation/vault/rehash';
import type { CustomerProfile, CustomerRow } from './customer';
import type { CustomerRecord } from './profile';

const TYPES = ['email', 'phone'] as const;
type AddressType = (typeof TYPES)[number];
export type IdentifierType = AddressType | 'username';

/** An address that a customer can be found by: a row of `customer_identifiers`. */
export interface Identifier {
  type: AddressType;
  mac: Buffer;
}

/** Somewhere a message to a customer can go: an e-mail address, or a telephone number in E.164 where that is known. */
export interface Address {
  type: AddressType;
  value: string;
  mac: Buffer;
}

/**
 * Finds customers by e-mail address and telephone number, of which only keyed hashes are stored. The user name is the
 * tenant's own id of the customer, which stands in its row.
 */
export class Identifiers {
  private readonly mac: Mac;

  /** `setting`: VAULT_HMAC_KEY. */
  constructor(setting: string) {
    this.mac = new Mac(setting, 'customer-identifier');
  }

  /** The keyed hash of a value: spellings of one address are one address. */
  of(type: IdentifierType, value: string): Buffer {
    return this.mac.of(textOf(type, value));
  }

  /** All forms in which it may be stored: under each key, the newest first. */
  macs(type: IdentifierType, value: string): Buffer[] {
    return this.mac.all(textOf(type, value));
  }

  /** The addresses of a record as they are stored. */
  all(profile: CustomerProfile): Identifier[] {
    return this.spellings(profile).map(({ type, macs }) => ({ type, mac: macs[0]! }));
  }

  /** The same in all forms in which they may be stored. */
  private spellings(profile: CustomerProfile): { type: AddressType; macs: Buffer[] }[] {
    const texts = new Map(stated(profile).map(({ type, value }) => [textOf(type, value), type]));
    return Array.from(texts, ([text, type]) => ({ type, macs: this.mac.all(text) }));
  }

  /** The e-mail address and the telephone numbers of a record. */
  addresses(profile: CustomerProfile): Address[] {
    return stated(profile).map(({ type, value }) => ({ type, value, mac: this.of(type, value) }));
  }

  /** The ids of the tenant's customers whose address, user name or id this is. */
  async named(trx: Knex.Transaction, tenantId: string, text: string): Promise<string[]> {
    const wanted = TYPES.flatMap((type) => this.macs(type, text).map((mac) => [type, mac]));
    const found: { customer_id: string }[] = await trx('customer_identifiers')
      .where({ tenant_id: tenantId })
      .whereIn(['type', 'mac'], wanted as never);
    return [text.trim(), ...found.map(({ customer_id }) => customer_id), ...(await this.ofUserName(trx, text))];
  }

  /** The id of the tenant's customer of this user name; more than one where spellings differ. */
  ofUserName(trx: Knex.Transaction, name: string): Promise<string[]> {
    const text = name.trim();
    const spellings = new Set([name, text, text.normalize('NFC'), text.normalize('NFD')]);
    return trx('customers')
      .whereIn('reference', [...spellings])
      .whereNull('deleted_at')
      .orderBy('id')
      .limit(spellings.size)
      .pluck('id');
  }

  /** Brings the stored identifiers of a customer up to date. Those that stay keep their verification. */
  async replace(trx: Knex.Transaction, customerId: string, tenantId: string, profile: CustomerProfile): Promise<void> {
    const wanted = this.spellings(profile);
    const stored: Identifier[] = await trx('customer_identifiers').where({ customer_id: customerId });
    const isOne = ({ type, mac }: Identifier) => wanted.some((one) => one.type === type && includesMac(one.macs, mac));
    for (const { type, mac } of stored.filter((one) => !isOne(one))) {
      await trx('customer_identifiers').where({ customer_id: customerId, type, mac }).delete();
      // What is no longer the customer's address is no longer what the customer is sent money by. The alias may be stored
      // under another key than the address, so what stays is looked for.
      const stays = wanted.filter((one) => one.type === type).flatMap(({ macs }) => macs);
      await trx('p2p_aliases').where({ customer_id: customerId, type }).whereNotIn('mac', stays).delete();
    }
    const added = wanted.filter(
      ({ type, macs }) => !stored.some((one) => one.type === type && includesMac(macs, one.mac)),
    );
    if (added.length > 0)
      await trx('customer_identifiers').insert(
        added.map(({ type, macs }) => ({ type, mac: macs[0], customer_id: customerId, tenant_id: tenantId })),
      );
  }

  /**
   * Brings what customers are found by under the newest key; answers how many rows changed. `profileOf`: the record of a
   * row. Runs as the system role.
   */
  async rehash(system: Knex, profileOf: (row: CustomerRow) => CustomerProfile): Promise<number> {
    let changed = 0;
    await inBatches(system, 'customers', async (ids) => {
      const rows: CustomerRow[] = await system('customers').whereIn('id', ids).whereNull('deleted_at').select();
      for (const row of rows)
        for (const { type, macs } of this.spellings(profileOf(row)))
          changed += await system('customer_identifiers')
            .where({ customer_id: row.id, type })
            .whereIn('mac', macs.slice(1))
            .update({ mac: macs[0] });
    });
    return changed;
  }
}

const E164 = /^\+[1-9]\d{6,14}$/;

/** The e-mail address and the telephone numbers of a record, as they are to be found. */
function stated(profile: CustomerProfile): Omit<Address, 'mac'>[] {
  const { person } = profile as CustomerRecord;
  const phones = (person?.telephoneNumbers ?? []).filter(({ number }) => number);
  return [
    ...(person?.email ? [{ type: 'email' as const, value: person.email.trim() }] : []),
    ...phones.map(({ country, number }) => ({ type: 'phone' as const, value: international(number!, country) })),
  ];
}

/** What is hashed. */
function textOf(type: IdentifierType, value: string): string {
  return `${type}\0${canonical(type, value)}`;
}

function canonical(type: IdentifierType, value: string): string {
  const text = value.trim().normalize('NFC');
  if (type === 'email') return text.toLowerCase();
  return type === 'phone' ? international(text) : text;
}

/** ITU-T E.164 where the country is known or named in the number; the bare digits otherwise. */
export function international(number: string, country = ''): string {
  const text = number.trim().replace(/^00/, '+');
  // Written out already: parsing is slow beside everything else that is done with a customer.
  if (E164.test(text)) return text;
  const parsed = /^\+?\d{1,3}$/.test(country)
    ? parsePhoneNumber(text, { defaultCallingCode: country.replace('+', '') })
    : parsePhoneNumber(text, /^[A-Z]{2}$/.test(country) ? (country as CountryCode) : undefined);
  return parsed?.number ?? text.replace(/[^\d+]/g, '');
}
