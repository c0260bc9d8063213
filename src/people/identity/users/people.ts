import type { Knex } from 'knex';
import { DomainError, found } from '../../../domain/errors';
import { type Actor, noteDone } from '../../../foundation/audit-log/audit-log';
import { type Page, paged } from '../../../foundation/db/page';
import { type IdentityScope, inScope, placeOf } from '../scope';
import type { UserLinks } from './links';
import type { UserSecondFactor } from './second-factor';
import { endSessions } from './sessions';
import type { Contact, UserRole, UserRow, Users } from './user';

/** Held while the people of a tenant, or the operators, are changed. */
export const PEOPLE_LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended(?, 0))';

/** `invited`: has not chosen a password yet. */
export const PERSON_STATES = ['invited', 'active', 'disabled'] as const;
export type PersonState = (typeof PERSON_STATES)[number];

export interface Person extends Contact {
  userId: string;
  role: UserRole;
  tenantId?: string;
  organizationId?: string;
  state: PersonState;
  invitedBy?: string;
  createdAt: Date;
}

export interface PeoplePage extends Page {
  role?: UserRole;
  organizationId?: string;
  state?: PersonState;
}

export interface Invitation extends Contact {
  userId: string;
  role: UserRole;
  organizationId?: string;
}

export interface PersonChange {
  name?: string;
  phone?: string | null;
  role?: UserRole;
  organizationId?: string;
}

/** The people who sign in for a tenant, for one of its organizations, or as operators. */
export class People {
  constructor(
    private readonly users: Users,
    private readonly links: UserLinks,
    private readonly secondFactor: UserSecondFactor,
  ) {}

  /** One more than the page holds, newest first. */
  async list(scope: IdentityScope, { role, organizationId, state, ...page }: PeoplePage): Promise<Person[]> {
    const rows = usersIn(this.users.database.system, scope);
    if (role) rows.where({ role });
    if (organizationId) rows.where({ organization_id: organizationId });
    if (state === 'disabled') rows.whereNotNull('disabled_at');
    else if (state) rows.whereNull('disabled_at').whereRaw(`password_hash IS ${state === 'active' ? 'NOT ' : ''}NULL`);
    return ((await paged(rows, page)) as UserRow[]).map((row) => this.present(row));
  }

  /** Throws `not_found`. */
  async find(scope: IdentityScope, userId: string): Promise<Person> {
    return this.present(await one(this.users.database.system, scope, userId));
  }

  /**
   * Makes a user and sends an invitation. A repeat of the same id answers the user who is there. Throws `duplicate_user`,
   * and `invalid_request` for a role that does not fit.
   */
  invite(scope: IdentityScope, { userId, role, organizationId, ...contact }: Invitation, by: Actor): Promise<Person> {
    return this.users.database.system.transaction(async (trx) => {
      const known: UserRow | undefined = await usersIn(trx, scope).where({ id: userId }).first();
      if (known) return this.present(known);
      const place = await placeOf(trx, scope, role, organizationId);
      await this.users.create(trx, { id: userId, role, ...place, contact, invitedBy: by.id });
      const user = await one(trx, scope, userId);
      await this.links.invite(trx, user, await this.invitedTo(trx, user));
      await noteDone(trx, user.tenant_id, by, 'user.invite', user.id, { role });
      return this.present(user);
    });
  }

  /** Sends the invitation anew; the link of the one before leads nowhere now. Throws `not_found`, `invalid_state`. */
  inviteAgain(scope: IdentityScope, userId: string, by: Actor): Promise<Person> {
    return this.act(scope, userId, 'user.invite', by, async (trx, user) => {
      if (user.password_hash || user.disabled_at)
        throw new DomainError('invalid_state', 'Only who is invited and has no password yet can be invited again');
      await this.links.invite(trx, user, await this.invitedTo(trx, user));
    });
  }

  /** Another role ends the user's sessions. Throws `not_found`, `invalid_request`, `invalid_state` (the last admin). */
  change(scope: IdentityScope, userId: string, change: PersonChange, by: Actor): Promise<Person> {
    return this.act(scope, userId, 'user.change', by, async (trx, user) => {
      const role = change.role ?? user.role;
      const organizationId = change.organizationId ?? (role === user.role ? user.organization_id : undefined);
      const isOther = role !== user.role || (organizationId ?? null) !== user.organization_id;
      if (isOther) {
        await requireAnother(trx, user);
        const place = await placeOf(trx, scope, role, organizationId ?? undefined);
        await trx('users')
          .where({ id: userId })
          .update({ role, organization_id: place.organizationId ?? null });
        await endSessions(trx, userId);
      }
      const contact = this.users.contactOf(user);
      const phone = change.phone === undefined ? contact.phone : (change.phone ?? undefined);
      await this.users.setContact(trx, userId, { ...contact, name: change.name ?? contact.name, phone });
    });
  }

  /** Ends the user's sessions at once; nothing lets the user in again before `enable`. Throws `not_found`, `invalid_state`. */
  disable(scope: IdentityScope, userId: string, by: Actor): Promise<Person> {
    return this.act(scope, userId, 'user.disable', by, async (trx, user) => {
      if (user.disabled_at) return;
      await requireAnother(trx, user);
      await shutOut(trx, userId);
    });
  }

  enable(scope: IdentityScope, userId: string, by: Actor): Promise<Person> {
    return this.act(scope, userId, 'user.enable', by, async (trx) => {
      await trx('users').where({ id: userId }).update({ disabled_at: null });
    });
  }

  /** For good: name and address are erased, and the address can be invited anew. Throws `not_found`, `invalid_state`. */
  async remove(scope: IdentityScope, userId: string, by: Actor): Promise<void> {
    await this.act(scope, userId, 'user.remove', by, async (trx, user) => {
      await requireAnother(trx, user);
      await shutOut(trx, userId);
      await trx('users')
        .where({ id: userId })
        .update({ removed_at: trx.fn.now(), password_hash: null, password_set_at: null });
      await this.secondFactor.reset(trx, userId);
      await trx('user_links').where({ user_id: userId }).delete();
      await this.users.forget(trx, userId);
    });
  }

  /**
   * For who has lost every second factor: all of them go, the sessions end, and the user gets a message. The next sign-in
   * asks for a new one where the role needs it. Throws `not_found`, and `forbidden` for one's own.
   */
  async resetFactors(scope: IdentityScope, userId: string, by: Actor): Promise<void> {
    if (by.id === userId) throw new DomainError('forbidden', 'Somebody else has to reset your second factors');
    await this.act(scope, userId, 'user.factors_reset', by, async (trx, user) => {
      await this.secondFactor.reset(trx, userId);
      await this.links.write(trx, user, {
        subject: 'Your second factors were removed',
        text: (name) =>
          `Hello ${name},\n\nsomebody who administers your account has removed your authenticator app, passkeys and recovery ` +
          'codes, and has signed you out. Sign in with your password, and add a new second factor. If you did not ask for ' +
          'this, tell them at once.',
      });
    });
  }

  private async act(
    scope: IdentityScope,
    userId: string,
    action: string,
    by: Actor,
    work: (trx: Knex.Transaction, user: UserRow) => Promise<void>,
  ): Promise<Person> {
    return this.users.database.system.transaction(async (trx) => {
      // One after the other for a tenant: two who shut each other out at the same time do not both succeed.
      await trx.raw(PEOPLE_LOCK, [`people of ${scope.tenantId ?? 'no tenant'}`]);
      const user = await one(trx, scope, userId, { lock: true });
      await work(trx, user);
      await noteDone(trx, user.tenant_id, by, action, user.id);
      const after: UserRow = await trx('users').where({ id: userId }).first();
      return this.present(after);
    });
  }

  /** What an invitation is to, in words. */
  private async invitedTo(trx: Knex.Transaction, { tenant_id, organization_id }: UserRow): Promise<string> {
    const nameIn = async (table: string, id: string) => (await trx(table).where({ id }).first('name')).name as string;
    if (organization_id) return `connect ${await nameIn('organizations', organization_id)} to the payment platform`;
    if (tenant_id) return `administer ${await nameIn('tenants', tenant_id)} on the payment platform`;
    return 'operate the payment platform';
  }

  private present(user: UserRow): Person {
    const { id, role, tenant_id, organization_id, disabled_at, password_hash, invited_by, created_at } = user;
    return {
      userId: id,
      ...this.users.contactOf(user),
      role,
      ...(tenant_id && { tenantId: tenant_id }),
      ...(organization_id && { organizationId: organization_id }),
      state: disabled_at ? 'disabled' : password_hash ? 'active' : 'invited',
      ...(invited_by && { invitedBy: invited_by }),
      createdAt: created_at,
    };
  }
}

/** Those who are removed are seen no more. */
const usersIn = (system: Knex, scope: IdentityScope) => inScope(system('users'), scope).whereNull('removed_at');

async function one(system: Knex, scope: IdentityScope, userId: string, { lock = false } = {}): Promise<UserRow> {
  const rows = usersIn(system, scope).where({ id: userId });
  return found<UserRow>(await (lock ? rows.forUpdate() : rows).first(), 'user');
}

/** Throws `invalid_state` where nobody else could sign in to let people in. */
async function requireAnother(trx: Knex.Transaction, user: UserRow): Promise<void> {
  if (user.role === 'merchant') return;
  const able: string[] = await trx('users')
    .where({ role: user.role, tenant_id: user.tenant_id })
    .whereNull('disabled_at')
    .whereNotNull('password_hash')
    .pluck('id');
  if (able.includes(user.id) && able.length === 1)
    throw new DomainError(
      'invalid_state',
      'This is the last person of this role who can sign in: name another one first',
    );
}

async function shutOut(trx: Knex.Transaction, userId: string): Promise<void> {
  await trx('users').where({ id: userId }).update({ disabled_at: trx.fn.now() });
  await endSessions(trx, userId);
}
