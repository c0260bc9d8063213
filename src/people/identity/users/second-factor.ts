import type { Knex } from 'knex';
import { DomainError } from '../../../domain/errors';
import { type Actor, noteDone } from '../../../foundation/audit-log/audit-log';
import { type Authenticators, isTotp } from '../authenticators';
import type { UserLinks } from './links';
import { endSessions, type SecondFactorKind } from './sessions';
import { NEEDS_SECOND_FACTOR, type UserRow, type Users } from './user';

/** A user who acts for themselves, in one session. */
export interface Self extends Actor {
  sessionId: string;
}

/** What somebody can show beside the password. */
export interface Factors {
  /** The role needs at least one. */
  required: boolean;
  authenticator: boolean;
  passkeys: number;
  /** Codes that are left for the day on which the rest is lost. */
  recoveryCodes: number;
}

/** As the messages about them name them. */
const NAMED = { totp: 'An authenticator app', passkey: 'A passkey' } as const;

/**
 * The second factors of users: an authenticator app, passkeys, and recovery codes. Tenant admins and operators need one,
 * merchants may have one. Who adds or removes one has signed in a moment ago, or shows a code.
 */
export class UserSecondFactor {
  /** `freshMs`: how long a sign-in counts as fresh, in milliseconds. */
  constructor(
    private readonly users: Users,
    private readonly links: Pick<UserLinks, 'write'>,
    private readonly authenticators: Authenticators,
    private readonly freshMs: number,
  ) {}

  async of(userId: string): Promise<Factors> {
    return this.users.database.system.transaction((trx) => this.factorsOf(trx, userId));
  }

  /**
   * What the code was; undefined for who has no second factor. Throws `two_factor_required` where a code is missing,
   * `code_refused` where it is wrong.
   */
  async require(userId: string, code: string | undefined): Promise<SecondFactorKind | undefined> {
    const factors = await this.of(userId);
    if (!isThere(factors)) return undefined;
    if (!code)
      throw new DomainError(
        'two_factor_required',
        factors.authenticator
          ? 'Send the request again with a code of the authenticator'
          : 'Sign in with your passkey, or send the request again with a recovery code',
      );
    if (!(await this.authenticators.check(undefined, userId, code))) throw codeRefused();
    return isTotp(code) ? 'totp' : 'recovery_code';
  }

  /**
   * Before somebody's factors change: the sign-in is fresh, or the code is right. Throws `two_factor_required`,
   * `code_refused`, and `sign_in_again` for who has nothing to make a code with.
   */
  async prove({ id, sessionId }: Self, code: string | undefined): Promise<void> {
    const hasFactor = isThere(await this.of(id));
    if (!(hasFactor && code) && (await this.isFresh(sessionId, hasFactor))) return;
    if (!hasFactor) throw new DomainError('sign_in_again', 'You signed in too long ago for this: sign in again');
    await this.require(id, code);
  }

  /** A new secret, shown this once; it counts after `confirm`. Throws as `prove` does. */
  async begin(self: Self, code: string | undefined): Promise<{ secret: string; uri: string }> {
    await this.prove(self, code);
    return this.users.database.system.transaction(async (trx) => {
      const user: UserRow = await trx('users').where({ id: self.id }).first();
      await noteDone(trx, user.tenant_id, self, 'user.totp_enrol', user.id);
      return this.authenticators.enrol(trx, undefined, user.id, this.users.contactOf(user).email);
    });
  }

  /** Answers ten recovery codes, shown this once. Ends the other sessions. Throws `code_refused`, `invalid_state`. */
  confirm(self: Self, code: string): Promise<string[]> {
    return this.authenticators.confirm(undefined, self.id, code, (trx) =>
      this.added(trx, self, 'totp', 'user.totp_confirm'),
    );
  }

  /** Ends the other sessions. Throws as `prove` does, and `invalid_state` where there is none, or no other that the role needs. */
  async remove(self: Self, code: string | undefined): Promise<void> {
    await this.prove(self, code);
    await this.users.database.system.transaction(async (trx) => {
      if (!(await this.locked(trx, self.id)).authenticator)
        throw new DomainError('invalid_state', 'This user has no authenticator');
      await this.authenticators.retire(trx, self.id);
      await this.removed(trx, self, 'totp', 'user.totp_remove');
    });
  }

  /** Ten new recovery codes, shown this once. Throws as `prove` does, and `invalid_state` for who has no second factor. */
  async renewRecoveryCodes(self: Self, code: string | undefined): Promise<string[]> {
    await this.prove(self, code);
    return this.users.database.system.transaction(async (trx) => {
      if (!isThere(await this.locked(trx, self.id)))
        throw new DomainError('invalid_state', 'Recovery codes are for who has a second factor');
      await noteDone(trx, await tenantOf(trx, self.id), self, 'user.recovery_codes', self.id);
      return this.authenticators.renewRecoveryCodes(trx, undefined, self.id);
    });
  }

  /**
   * In the transaction in which somebody has got a factor: the session has shown it, the others end, and the user is told:
   * a thief with a session must not add a factor unseen.
   */
  async added(
    trx: Knex.Transaction,
    self: Self,
    kind: keyof typeof NAMED,
    action: string,
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    await trx('user_tokens')
      .where({ id: self.sessionId })
      .update({ second_factor: trx.raw('coalesce(second_factor, ?)', [kind]) });
    await this.changed(trx, self, action, detail, `${NAMED[kind]} was added to your account`);
  }

  /** The first factor comes with recovery codes. Undefined for who has some. */
  async firstRecoveryCodes(trx: Knex.Transaction, userId: string): Promise<string[] | undefined> {
    if ((await this.factorsOf(trx, userId)).recoveryCodes > 0) return undefined;
    await this.authenticators.keepPlace(trx, userId);
    return this.authenticators.renewRecoveryCodes(trx, undefined, userId);
  }

  /**
   * In the transaction in which somebody has given up a factor, after `locked`: the other sessions end, and the user is told.
   * Throws `invalid_state` where the role needs another.
   */
  async removed(
    trx: Knex.Transaction,
    self: Self,
    kind: keyof typeof NAMED,
    action: string,
    detail: Record<string, unknown> = {},
  ): Promise<void> {
    const left = await this.factorsOf(trx, self.id);
    if (!isThere(left)) {
      if (left.required)
        throw new DomainError(
          'invalid_state',
          'Your role needs a second factor: add another one before you remove this',
        );
      await this.authenticators.remove(trx, self.id);
    }
    await this.changed(trx, self, action, detail, `${NAMED[kind]} was removed from your account`);
  }

  /** Somebody else takes every factor from a user who has lost them. */
  async reset(trx: Knex.Transaction, userId: string): Promise<void> {
    await trx('user_passkeys').where({ user_id: userId }).delete();
    await this.authenticators.remove(trx, userId);
    await endSessions(trx, userId);
  }

  /** The factors of a user, which nobody else changes before the transaction ends. */
  async locked(trx: Knex.Transaction, userId: string): Promise<Factors> {
    await trx('users').where({ id: userId }).forUpdate().first('id');
    return this.factorsOf(trx, userId);
  }

  private async factorsOf(trx: Knex.Transaction, userId: string): Promise<Factors> {
    const count = (rows: Knex.QueryBuilder) => rows.count('*');
    const { role, ...row } = await trx('users')
      .where({ id: userId })
      .first(
        'role',
        count(trx('user_passkeys').where({ user_id: userId })).as('passkeys'),
        count(trx('user_recovery_codes').where({ user_id: userId }).whereNull('used_at')).as('codes'),
      );
    return {
      required: NEEDS_SECOND_FACTOR.includes(role),
      authenticator: await this.authenticators.isConfirmed(trx, userId),
      passkeys: Number(row.passkeys),
      recoveryCodes: Number(row.codes),
    };
  }

  private async changed(
    trx: Knex.Transaction,
    self: Self,
    action: string,
    detail: Record<string, unknown>,
    what: string,
  ): Promise<void> {
    await endSessions(trx, self.id, { but: self.sessionId });
    const user: UserRow = await trx('users').where({ id: self.id }).first();
    await noteDone(trx, user.tenant_id, self, action, self.id, detail);
    // An operator may be there before the first tenant, in whose name messages go out.
    if (!(await trx('tenants').first('id'))) return;
    await this.links.write(trx, user, {
      subject: what,
      text: (name) =>
        `Hello ${name},\n\n${what}, by a request from ${self.source}. Your other sessions have ended. If it was not you, tell ` +
        'whoever administers your account at once.',
    });
  }

  private async isFresh(sessionId: string, withFactor: boolean): Promise<boolean> {
    const { system } = this.users.database;
    const session = system('user_tokens')
      .where({ id: sessionId })
      .whereRaw("created_at > clock_timestamp() - ? * interval '1 millisecond'", [this.freshMs]);
    return (await (withFactor ? session.whereNotNull('second_factor') : session).first('id')) !== undefined;
  }
}

function isThere({ authenticator, passkeys }: Factors): boolean {
  return authenticator || passkeys > 0;
}

async function tenantOf(trx: Knex.Transaction, userId: string): Promise<string | null> {
  return (await trx('users').where({ id: userId }).first('tenant_id')).tenant_id;
}

function codeRefused(): DomainError {
  return new DomainError('code_refused', 'The code is wrong, used up or out of time');
}
