import type { Knex } from 'knex';
import { DomainError, found } from '../../domain/errors';
import { newId } from '../../domain/ids';
import { canTenantBecome, type TenantStatus } from '../../domain/states/tenant';
import { type Actor, noteDone } from '../../foundation/audit-log/audit-log';
import { type Database, violates } from '../../foundation/db/database';
import { type Page, paged } from '../../foundation/db/page';
import { lockTenant, type TenantRow } from '../identity/tenants';
import type { UserLinks } from '../identity/users/links';
import type { Contact, UserRow, Users } from '../identity/users/user';

/** A tenant as an operator proposes it. */
export interface NewTenant {
  /** Every repeat of one request has the same. */
  tenantId: string;
  name: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** ISO 4217. */
  currency: string;
  /** What its live merchants can take in production: ids of the method catalogue. */
  methods: number[];
  firstAdmin: Contact;
  reason: string;
}

export interface TenantFilter extends Page {
  status?: TenantStatus;
}

/** Who is invited first. Without a name and an address once the person is removed. */
export interface FirstAdmin extends Partial<Contact> {
  userId: string;
  state: 'waiting' | 'invited' | 'active' | 'disabled';
  invitationExpiresAt?: Date;
}

/** A tenant as operators see it. */
export interface Tenant {
  row: TenantRow;
  methods: number[];
  firstAdmin?: FirstAdmin;
}

/**
 * Tenants, made by two operators: one proposes, another confirms. A tenant needs no more than its row, its methods and its
 * first admin: what else belongs to it (its books, its own merchant account for top-ups, its policies) is there when it is
 * first used, or as the defaults say.
 */
export class Tenants {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly links: UserLinks,
  ) {}

  /** One more than the page holds, newest first. */
  async list({ status, ...page }: TenantFilter): Promise<Tenant[]> {
    const { ops } = this.database;
    const rows = paged(ops('tenants'), page);
    if (status) rows.where({ status });
    const tenants: TenantRow[] = await rows;
    const chosen = await methodsOf(
      ops,
      tenants.map(({ id }) => id),
    );
    return tenants.map((row) => ({ row, methods: chosen.get(row.id) ?? [] }));
  }

  /** Throws `not_found`. */
  async find(tenantId: string): Promise<Tenant> {
    const { system } = this.database;
    const row = found<TenantRow>(await system('tenants').where({ id: tenantId }).first(), 'tenant');
    const methods = (await methodsOf(system, [tenantId])).get(tenantId) ?? [];
    const firstAdmin = row.first_admin_id ? await this.firstAdminOf(row, row.first_admin_id) : undefined;
    return { row, methods, ...(firstAdmin && { firstAdmin }) };
  }

  /** A repeat of the same id answers the tenant that is there. Throws `duplicate_user`: the admin's address is taken. */
  async propose({ tenantId, methods, firstAdmin, ...tenant }: NewTenant, by: Actor): Promise<Tenant> {
    await this.database.system.transaction(async (trx) => {
      const [made] = await trx('tenants')
        .insert({ id: tenantId, ...tenant, status: 'proposed', proposed_by: by.id })
        .onConflict('id')
        .ignore()
        .returning('id');
      if (!made) return;
      await setMethods(trx, tenantId, methods);
      const userId = newId('user');
      // Without a password and a link, it lets nobody in.
      await this.users.create(trx, {
        id: userId,
        role: 'tenant_admin',
        tenantId,
        contact: firstAdmin,
        invitedBy: by.id,
      });
      await trx('tenants').where({ id: tenantId }).update({ first_admin_id: userId });
      const { name, country, currency, reason } = tenant;
      await noteDone(trx, tenantId, by, 'tenant.propose', tenantId, { name, country, currency, methods, reason });
    });
    return this.find(tenantId);
  }

  /**
   * The second operator agrees: the tenant is there, and its first admin is invited by e-mail. Throws `not_found`,
   * `forbidden` (who proposed it) and `invalid_state`.
   */
  confirm(tenantId: string, by: Actor): Promise<Tenant> {
    return this.move(tenantId, 'active', 'confirm', by, async (trx, row) => {
      if (row.status !== 'proposed') throw refused(row, 'confirmed');
      if (row.proposed_by === by.id) throw new DomainError('forbidden', 'Another operator has to confirm the tenant');
      const user: UserRow = await trx('users').where({ id: row.first_admin_id }).first();
      await this.links.invite(trx, user, `administer ${row.name} on the payment platform`);
      return { confirmed_by: by.id };
    });
  }

  /** The proposal is over, and the admin's address is free again. Throws `not_found` and `invalid_state`. */
  withdraw(tenantId: string, reason: string, by: Actor): Promise<Tenant> {
    return this.move(tenantId, 'withdrawn', 'withdraw', by, async (trx, { first_admin_id: id }) => {
      await trx('users').where({ id }).update({ disabled_at: trx.fn.now(), removed_at: trx.fn.now() });
      await this.users.forget(trx, id!);
      return { reason };
    });
  }

  /**
   * From now on tokens of the tenant are refused, and no more money moves in its name; what is under way goes on to its
   * end. Throws `not_found` and `invalid_state`.
   */
  suspend(tenantId: string, reason: string, by: Actor): Promise<Tenant> {
    return this.move(tenantId, 'suspended', 'suspend', by, async () => ({ reason }));
  }

  /** All is as before, tokens that have not expired too. Throws `not_found` and `invalid_state`. */
  resume(tenantId: string, reason: string, by: Actor): Promise<Tenant> {
    return this.move(tenantId, 'active', 'resume', by, async (_trx, row) => {
      if (row.status !== 'suspended') throw refused(row, 'resumed');
      return { reason };
    });
  }

  /** Puts other methods in the place of all before. Throws `not_found` and `invalid_state`. */
  async chooseMethods(tenantId: string, methods: number[], reason: string, by: Actor): Promise<Tenant> {
    await this.database.system.transaction(async (trx) => {
      const row = await lockTenant(trx, tenantId);
      // Of a proposal, another operator confirms what was proposed.
      if (row.status !== 'active' && row.status !== 'suspended') throw refused(row, 'changed');
      const before = (await methodsOf(trx, [tenantId])).get(tenantId) ?? [];
      await setMethods(trx, tenantId, methods);
      await noteDone(trx, tenantId, by, 'tenant.choose_methods', tenantId, { before, methods, reason });
    });
    return this.find(tenantId);
  }

  private async move(
    tenantId: string,
    to: TenantStatus,
    verb: string,
    by: Actor,
    work: (trx: Knex.Transaction, row: TenantRow) => Promise<Partial<TenantRow>>,
  ): Promise<Tenant> {
    await this.database.system.transaction(async (trx) => {
      const row = await lockTenant(trx, tenantId);
      if (!canTenantBecome(row.status, to)) throw refused(row, to);
      const change = await work(trx, row);
      await trx('tenants')
        .where({ id: tenantId })
        .update({ ...change, status: to, updated_at: trx.raw('clock_timestamp()') })
        .catch(refusePlatform);
      await noteDone(trx, tenantId, by, `tenant.${verb}`, tenantId, change.reason ? { reason: change.reason } : {});
    });
    return this.find(tenantId);
  }

  private async firstAdminOf({ status }: TenantRow, userId: string): Promise<FirstAdmin> {
    const { system } = this.database;
    const user = await this.users.find(userId);
    const { disabled_at, removed_at, password_hash } = user;
    if (disabled_at) return { userId, state: 'disabled', ...(!removed_at && this.users.contactOf(user)) };
    const state = password_hash ? 'active' : status === 'proposed' ? 'waiting' : 'invited';
    const expiry = state === 'invited' ? await this.links.invitationExpiry(system, userId) : undefined;
    return { userId, state, ...this.users.contactOf(user), ...(expiry && { invitationExpiresAt: expiry }) };
  }
}

/** By tenant, in the order of the catalogue. */
async function methodsOf(connection: Knex, tenantIds: string[]): Promise<Map<string, number[]>> {
  const rows: { tenant_id: string; ids: number[] }[] = await connection('production_methods')
    .whereIn('tenant_id', tenantIds)
    .groupBy('tenant_id')
    .select('tenant_id', connection.raw('array_agg(method_id ORDER BY method_id) AS ids'));
  return new Map(rows.map(({ tenant_id, ids }) => [tenant_id, ids]));
}

async function setMethods(trx: Knex.Transaction, tenantId: string, methods: number[]): Promise<void> {
  await trx('production_methods').where({ tenant_id: tenantId }).delete();
  const rows = [...new Set(methods)].map((method_id) => ({ tenant_id: tenantId, method_id }));
  if (rows.length > 0) await trx('production_methods').insert(rows);
}

function refused({ status }: TenantRow, wanted: string): DomainError {
  return new DomainError('invalid_state', `A tenant that is ${status} cannot be ${wanted}`);
}

/** The tenant of what is nobody's else stays as it is. */
function refusePlatform(error: unknown): never {
  if (!violates(error, 'tenants_platform_stays')) throw error;
  throw new DomainError('invalid_state', 'The platform itself cannot be suspended');
}
