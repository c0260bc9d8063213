import type { Knex } from 'knex';
import { DomainError, found } from '../../../domain/errors';
import { appendAuditLine } from '../../../foundation/audit-log/audit-log';
import type { Keys } from '../../../foundation/config/key-source';
import { type Database, violates } from '../../../foundation/db/database';
import { Keyring, lockValue, Mac } from '../../../foundation/vault/keyring';
import { rehash } from '../../../foundation/vault/rehash';
import { reseal } from '../../../foundation/vault/reseal';

/** What a person who signs in may be: the same as a client. */
export type UserRole = 'merchant' | 'tenant_admin' | 'ops';

/** Whoever acts for more than one merchant needs a second factor. */
export const NEEDS_SECOND_FACTOR: readonly UserRole[] = ['tenant_admin', 'ops'];

/** The name of a user, and how to reach the user. */
export interface Contact {
  name: string;
  email: string;
  /** E.164. */
  phone?: string;
}

/** One row of `users`. */
export interface UserRow {
  id: string;
  tenant_id: string | null;
  organization_id: string | null;
  role: UserRole;
  email_mac: Buffer;
  contact_sealed: Buffer;
  password_hash: string | null;
  password_set_at: Date | null;
  /** The last before it, newest first. */
  earlier_password_hashes: string[];
  failures: number;
  locked_until: Date | null;
  disabled_at: Date | null;
  /** Who is removed is disabled too, and has no name and address any more. */
  removed_at: Date | null;
  invited_by: string | null;
  created_at: Date;
}

export interface NewUser {
  id: string;
  role: UserRole;
  tenantId?: string;
  organizationId?: string;
  contact: Contact;
  /** PHC string; absent: a link lets the user choose a password. */
  passwordHash?: string;
  /** User or client. */
  invitedBy?: string;
}

/** People who sign in as merchant, tenant admin or operator. An e-mail address is one user's. */
export class Users {
  private readonly keys: Keyring;
  private readonly mac: Mac;

  /** `vaultKeys`: VAULT_KEYS; `hmacKey`: VAULT_HMAC_KEY. */
  constructor(
    readonly database: Database,
    vaultKeys: Keys,
    hmacKey: string,
  ) {
    this.keys = new Keyring(vaultKeys, 'user-contact');
    this.mac = new Mac(hmacKey, 'user-email');
  }

  /** `system`: a transaction in the system role. Throws `duplicate_user`. */
  async create(system: Knex.Transaction, user: NewUser): Promise<void> {
    const { id, role, contact, tenantId = null, organizationId = null, passwordHash = null, invitedBy = null } = user;
    const row = {
      id,
      role,
      tenant_id: tenantId,
      organization_id: organizationId,
      email_mac: this.emailMacs(contact.email)[0],
      contact_sealed: this.keys.seal(Buffer.from(JSON.stringify(contact)), id),
      password_hash: passwordHash,
      password_set_at: passwordHash ? system.fn.now() : null,
      invited_by: invitedBy,
    };
    const macs = this.emailMacs(contact.email);
    await lockValue(system, macs);
    // The unique index refuses the same hash; while there are two keys, the other's hash is the same address too.
    if (macs.length > 1 && (await system('users').whereIn('email_mac', macs).first('id'))) throw duplicate();
    try {
      await system('users').insert(row);
    } catch (error) {
      if (!violates(error, 'users_email_mac_key')) throw error;
      throw duplicate();
    }
  }

  /** Undefined where nobody, or nobody who may sign in, has the address. */
  async findByEmail(system: Knex, email: string): Promise<UserRow | undefined> {
    return system('users').whereIn('email_mac', this.emailMacs(email)).whereNull('disabled_at').first();
  }

  /** Throws `not_found`. */
  async find(id: string): Promise<UserRow> {
    return found<UserRow>(await this.database.system('users').where({ id }).first(), 'user');
  }

  contactOf({ id, contact_sealed }: Pick<UserRow, 'id' | 'contact_sealed'>): Contact {
    return JSON.parse(this.keys.open(contact_sealed, id).toString());
  }

  /** Another name or telephone number; the address stays. */
  async setContact(system: Knex.Transaction, id: string, contact: Contact): Promise<void> {
    const contact_sealed = this.keys.seal(Buffer.from(JSON.stringify(contact)), id);
    await system('users').where({ id }).update({ contact_sealed });
  }

  /** Erases name and address: somebody else can be invited with it, or the same person anew. */
  async forget(system: Knex.Transaction, id: string): Promise<void> {
    const contact_sealed = this.keys.seal(Buffer.from(JSON.stringify({ name: '', email: '' })), id);
    // Of no address: none has an id in it.
    await system('users')
      .where({ id })
      .update({ contact_sealed, email_mac: this.mac.of(`removed ${id}`) });
  }

  /** Seals up to `limit` contacts anew under the current key; answers how many. Runs as the system role. */
  reseal(system: Knex, limit?: number): Promise<number> {
    return reseal(system, this.keys, { table: 'users', column: 'contact_sealed' }, limit);
  }

  /** Brings the hashes of all addresses under the newest key; answers how many changed. Runs as the system role. */
  rehash(system: Knex): Promise<number> {
    return rehash<UserRow>(
      system,
      { table: 'users', column: 'email_mac', also: ['contact_sealed', 'removed_at'] },
      (row) => (row.removed_at ? undefined : this.emailMacs(this.contactOf(row).email)[0]),
    );
  }

  private emailMacs(email: string): Buffer[] {
    return this.mac.all(email.trim().toLowerCase());
  }
}

function duplicate(): DomainError {
  return new DomainError('duplicate_user', 'There is a user with this e-mail address already');
}

/** Who does something, as the audit log names it. */
export interface UserAct {
  action: string;
  result: 'done' | 'refused';
  /** Address the request came from. */
  source: string;
  /** The actor, when it is not the user. */
  actor?: string;
  detail?: Record<string, unknown>;
}

/** A line of the audit log about a user; of nobody known where `user` is undefined. */
export async function noteUser(
  system: Knex,
  user: Pick<UserRow, 'id' | 'tenant_id'> | undefined,
  { actor, detail = {}, ...act }: UserAct,
): Promise<void> {
  await appendAuditLine(system, {
    tenantId: user?.tenant_id ?? null,
    actor: actor ?? user?.id ?? 'unknown user',
    target: user?.id ?? null,
    ...act,
    detail: detail,
  });
}
