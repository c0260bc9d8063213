import type { Knex } from 'knex';
import type { Channel } from '../../foundation/messages/messenger';
import { includesMac } from '../../foundation/vault/keyring';
import type { CustomerRow, ProfileSeal } from '../customers/customer';
import type { Address, Identifiers, IdentifierType } from '../customers/identifiers';
import type { CustomerRecord } from '../customers/profile';

/** What a caller may say about where a code goes: it chooses among verified addresses and supplies none. */
export interface CommunicationChannel {
  name?: string;
  type?: 'phone' | 'email';
  addressUrl?: string;
}

/** The customer that a value names. */
export interface Found {
  customer_id: string;
}

const MATCHES = 5;

/** The e-mail addresses and telephone numbers of customers, and which of them are proven to be theirs. */
export class Addresses {
  constructor(
    private readonly seal: ProfileSeal,
    private readonly identifiers: Identifiers,
  ) {}

  /** Customers of the transaction's tenant that the value names, those who have proven it first. */
  async find(trx: Knex.Transaction, type: IdentifierType, value: string): Promise<Found[]> {
    if (type === 'username')
      return (await this.identifiers.ofUserName(trx, value)).map((customer_id) => ({ customer_id }));
    return this.holders(trx, type, value)
      .orderByRaw('i.verified_at NULLS LAST, i.customer_id')
      .limit(MATCHES)
      .select('i.customer_id');
  }

  /** The one customer who has proven this address to be theirs. */
  async findOwner(trx: Knex.Transaction, type: 'email' | 'phone', value: string): Promise<Found | undefined> {
    return this.holders(trx, type, value).whereNotNull('i.verified_at').orderBy('i.verified_at').first('i.customer_id');
  }

  private holders(trx: Knex.Transaction, type: Address['type'], value: string): Knex.QueryBuilder {
    return trx('customer_identifiers as i')
      .join('customers as c', 'c.id', 'i.customer_id')
      .where({ 'i.type': type })
      .whereIn('i.mac', this.identifiers.macs(type, value))
      .whereNull('c.deleted_at');
  }

  /** Whether a stored hash is that of this address, whichever key made it. */
  private is({ type, value }: Pick<Address, 'type' | 'value'>, mac: Buffer): boolean {
    return includesMac(this.identifiers.macs(type, value), mac);
  }

  /** Addresses in the record of a customer, however they are written there. */
  all(row: CustomerRow): Address[] {
    return this.identifiers.addresses(this.seal.open(row));
  }

  /** The address of that value in the customer's record. */
  ofValue(row: CustomerRow, type: 'email' | 'phone', value: string): Address | undefined {
    const mac = this.identifiers.of(type, value);
    return this.all(row).find((address) => address.type === type && address.mac.equals(mac));
  }

  /**
   * Where a code for this customer goes: the verified address that `wish` names or is of its type, else that of the
   * record's `twofa`, else the first e-mail address, else the first telephone number. Undefined where none is verified.
   */
  async choose(
    trx: Knex.Transaction,
    row: CustomerRow | undefined,
    wish: CommunicationChannel = {},
    except: Buffer | null = null,
  ): Promise<Address | undefined> {
    const verified: { type: string; mac: Buffer }[] = await trx('customer_identifiers')
      .where({ customer_id: row?.id ?? '' })
      .whereNotNull('verified_at')
      .select('type', 'mac');
    if (!row) return undefined;
    const profile = this.seal.open(row);
    const open = this.identifiers
      .addresses(profile)
      .filter((address) => verified.some((one) => one.type === address.type && this.is(address, one.mac)))
      .filter((address) => !except || !this.is(address, except));
    const { targetType, targetValue } = ((profile as CustomerRecord).twofa ?? {}) as Record<string, string | undefined>;
    const targeted = targetType === 'SMS' ? 'phone' : targetType === 'Email' ? 'email' : undefined;
    const named = (type: 'phone' | 'email' | undefined, value: string | undefined) =>
      type && value
        ? open.find((one) => one.type === type && one.mac.equals(this.identifiers.of(type, value)))
        : undefined;
    const { type, addressUrl } = wish;
    return (
      named(type ?? (addressUrl?.includes('@') ? 'email' : 'phone'), addressUrl?.replace(/^(mailto|tel|sms):/, '')) ??
      open.find((one) => one.type === type) ??
      named(targeted, targetValue) ??
      open.find((one) => one.type === 'email') ??
      open[0]
    );
  }

  /** Notes that a code sent to this address came back, in the record's `twofa.codematch` too where that names it. */
  async markVerified(trx: Knex.Transaction, row: CustomerRow, { type, mac }: Omit<Address, 'value'>): Promise<boolean> {
    const profile = this.seal.open(row);
    const meant = this.identifiers.addresses(profile).find((one) => one.type === type && this.is(one, mac));
    const marked = await trx('customer_identifiers')
      .where({ customer_id: row.id, type })
      .whereIn('mac', meant ? this.identifiers.macs(type, meant.value) : [mac])
      .update({ verified_at: trx.raw('coalesce(verified_at, now())') });
    if (marked === 0) return false;
    const twofa = (profile as CustomerRecord).twofa;
    const targetType = type === 'phone' ? 'SMS' : 'Email';
    if (twofa?.targetType === targetType && typeof twofa.targetValue === 'string') {
      const isTarget = this.is({ type, value: twofa.targetValue }, mac);
      if (isTarget && twofa.codematch !== true)
        await trx('customers')
          .where({ id: row.id })
          .update(this.seal.seal(row.id, { ...profile, twofa: { ...twofa, codematch: true } }));
    }
    return true;
  }
}

export function channelOf({ type }: Pick<Address, 'type'>): Channel {
  return type === 'phone' ? 'sms' : 'email';
}
