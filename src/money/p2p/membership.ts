import type { Knex } from 'knex';
import type { AliasName, AliasType } from '../../domain/alias';
import { DomainError, notFound } from '../../domain/errors';
import { newId } from '../../domain/ids';
import { type Database, violates } from '../../foundation/db/database';
import { lockValue } from '../../foundation/vault/keyring';
import { assertMayTransact, lockCustomer } from '../../people/customers/customer';
import { type Acting, noteActing } from './acting';
import type { AliasKeys } from './alias-keys';

/** One row of `p2p_members`. */
export interface MemberRow {
  customer_id: string;
  tenant_id: string;
  accepts_each: boolean;
  suspended_at: Date | null;
  suspended_by: 'customer' | 'tenant' | null;
  suspension_reason: string | null;
  enrolled_at: Date;
}

/** One row of `p2p_aliases`. */
export interface AliasRow {
  id: string;
  customer_id: string;
  type: AliasType;
  mac: Buffer;
  sealed: Buffer;
  created_at: Date;
}

/** A member with the aliases as the owner may read them. */
export interface Member {
  row: MemberRow;
  aliases: { id: string; type: AliasType; value: string; createdAt: Date }[];
}

/** Undefined for a customer who has not joined. */
export async function memberOf(
  trx: Knex.Transaction,
  keys: AliasKeys,
  customerId: string,
): Promise<Member | undefined> {
  const row: MemberRow | undefined = await trx('p2p_members').where({ customer_id: customerId }).first();
  if (!row) return undefined;
  const rows: AliasRow[] = await trx('p2p_aliases').where({ customer_id: customerId }).orderBy('id');
  const aliases = rows.map(({ id, type, sealed, created_at }) => ({
    id,
    type,
    value: keys.open(id, sealed),
    createdAt: created_at,
  }));
  return { row, aliases };
}

/** What a customer is sent money by, and whether it can be. */
export class Membership {
  constructor(
    private readonly database: Database,
    private readonly keys: AliasKeys,
  ) {}

  /**
   * Has a customer join, or adds an alias to one who has. Throws `not_found`, `customer_blocked`, `alias_taken`, and
   * `alias_not_verified` for an address that the customer has not proven: staff vouch for one instead.
   */
  async enroll(
    tenantId: string,
    customerId: string,
    { alias, acceptEach }: { alias: AliasName; acceptEach?: boolean },
    acting: Acting,
  ): Promise<{ member: Member; isNew: boolean }> {
    return this.inTenant(tenantId, async (trx) => {
      assertMayTransact(await lockCustomer(trx, customerId));
      const known = await trx('p2p_members').where({ customer_id: customerId }).first();
      if (!known) await trx('p2p_members').insert({ customer_id: customerId, tenant_id: tenantId });
      if (acceptEach !== undefined)
        await trx('p2p_members').where({ customer_id: customerId }).update({ accepts_each: acceptEach });
      await this.insertAlias(trx, tenantId, customerId, alias, acting);
      await noteActing(trx, tenantId, acting, 'p2p_enrolled', customerId, { aliasType: alias.type });
      return { member: await this.find(trx, customerId), isNew: !known };
    });
  }

  /** Throws `not_found` for a customer who has not joined. */
  member(tenantId: string, customerId: string): Promise<Member> {
    return this.database.tenant(tenantId, (trx) => this.find(trx, customerId));
  }

  /** Throws `not_found`, `alias_taken`, `alias_not_verified`. */
  addAlias(tenantId: string, customerId: string, alias: AliasName, acting: Acting): Promise<Member> {
    return this.change(tenantId, customerId, acting, 'p2p_alias_added', { aliasType: alias.type }, (trx) =>
      this.insertAlias(trx, tenantId, customerId, alias, acting),
    );
  }

  /** Puts another alias in the place of one. Throws as `addAlias` does. */
  changeAlias(
    tenantId: string,
    customerId: string,
    aliasId: string,
    alias: AliasName,
    acting: Acting,
  ): Promise<Member> {
    return this.change(tenantId, customerId, acting, 'p2p_alias_changed', { aliasId }, async (trx) => {
      await this.requireProven(trx, customerId, alias, acting);
      await this.refuseTaken(trx, tenantId, alias, aliasId);
      const changed = await trx('p2p_aliases')
        .where({ id: aliasId, customer_id: customerId })
        .update({ type: alias.type, mac: this.keys.macOf(alias), sealed: this.keys.seal(aliasId, alias.value) });
      if (changed === 0) throw notFound('alias');
    });
  }

  removeAlias(tenantId: string, customerId: string, aliasId: string, acting: Acting): Promise<Member> {
    return this.change(tenantId, customerId, acting, 'p2p_alias_removed', { aliasId }, async (trx) => {
      const removed = await trx('p2p_aliases').where({ id: aliasId, customer_id: customerId }).delete();
      if (removed === 0) throw notFound('alias');
    });
  }

  setPreferences(
    tenantId: string,
    customerId: string,
    { acceptEach }: { acceptEach: boolean },
    acting: Acting,
  ): Promise<Member> {
    return this.change(tenantId, customerId, acting, 'p2p_preferences', { acceptEach }, async (trx) => {
      await trx('p2p_members').where({ customer_id: customerId }).update({ accepts_each: acceptEach });
    });
  }

  /** The customer neither sends nor receives from now on. A repeat keeps the first suspension, unless staff repeat it. */
  suspend(tenantId: string, customerId: string, reason: string | undefined, acting: Acting): Promise<Member> {
    return this.change(tenantId, customerId, acting, 'p2p_suspended', { reason }, async (trx) => {
      await trx('p2p_members')
        .where({ customer_id: customerId })
        .where((open) => open.whereNull('suspended_at').orWhere({ suspended_by: 'customer' }))
        .update({
          suspended_at: trx.raw('coalesce(suspended_at, clock_timestamp())'),
          suspended_by: acting.isStaff ? 'tenant' : 'customer',
          suspension_reason: reason ?? null,
        });
    });
  }

  /** Throws `forbidden` for a customer whom staff have suspended. */
  resume(tenantId: string, customerId: string, acting: Acting): Promise<Member> {
    return this.change(tenantId, customerId, acting, 'p2p_resumed', {}, async (trx, { row }) => {
      if (row.suspended_by === 'tenant' && !acting.isStaff)
        throw new DomainError('forbidden', 'Only the tenant can resume what the tenant has suspended');
      await trx('p2p_members')
        .where({ customer_id: customerId })
        .update({ suspended_at: null, suspended_by: null, suspension_reason: null });
    });
  }

  private change(
    tenantId: string,
    customerId: string,
    acting: Acting,
    action: string,
    detail: Record<string, unknown>,
    work: (trx: Knex.Transaction, before: Member) => Promise<void>,
  ): Promise<Member> {
    return this.inTenant(tenantId, async (trx) => {
      await lockCustomer(trx, customerId);
      await work(trx, await this.find(trx, customerId));
      await noteActing(trx, tenantId, acting, action, customerId, detail);
      return this.find(trx, customerId);
    });
  }

  private async insertAlias(
    trx: Knex.Transaction,
    tenantId: string,
    customerId: string,
    alias: AliasName,
    acting: Acting,
  ): Promise<void> {
    await this.requireProven(trx, customerId, alias, acting);
    const { type, value } = alias;
    const macs = this.keys.macsOf(alias);
    const own = await trx('p2p_aliases').where({ customer_id: customerId, type }).whereIn('mac', macs).first('id');
    if (own) return;
    const id = newId('alias');
    await this.refuseTaken(trx, tenantId, alias, id);
    const mac = macs[0];
    const sealed = this.keys.seal(id, value);
    await trx('p2p_aliases').insert({ id, tenant_id: tenantId, customer_id: customerId, type, mac, sealed });
  }

  /** The unique index refuses the same hash; while there are two keys, the other's hash is the same alias too. */
  private async refuseTaken(trx: Knex.Transaction, tenantId: string, alias: AliasName, aliasId: string): Promise<void> {
    const macs = this.keys.macsOf(alias);
    if (macs.length === 1) return;
    await lockValue(trx, macs);
    const other = await trx('p2p_aliases')
      .where({ tenant_id: tenantId, type: alias.type })
      .whereIn('mac', macs)
      .whereNot({ id: aliasId })
      .first('id');
    if (other) throw aliasTaken();
  }

  private async requireProven(
    trx: Knex.Transaction,
    customerId: string,
    alias: AliasName,
    { isStaff }: Acting,
  ): Promise<void> {
    if (isStaff || alias.type === 'handle') return;
    const proven = await trx('customer_identifiers')
      .where({ customer_id: customerId, type: alias.type })
      .whereIn('mac', this.keys.macsOf(alias))
      .whereNotNull('verified_at')
      .first('type');
    if (!proven)
      throw new DomainError(
        'alias_not_verified',
        'Verify this address first: it has to be in your record, and a code sent there has to come back',
      );
  }

  private async find(trx: Knex.Transaction, customerId: string): Promise<Member> {
    const member = await memberOf(trx, this.keys, customerId);
    if (!member) throw notFound('member');
    return member;
  }

  private async inTenant<T>(tenantId: string, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.database.tenant(tenantId, work);
    } catch (error) {
      if (!violates(error, 'p2p_aliases_once')) throw error;
      throw aliasTaken();
    }
  }
}

function aliasTaken(): DomainError {
  return new DomainError('alias_taken', 'This alias belongs to another customer');
}
