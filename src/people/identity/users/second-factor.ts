import { DomainError } from '../../../domain/errors';
import { type Authenticators, isTotp } from '../authenticators';
import type { SecondFactorKind } from './sessions';
import { noteUser, type Users } from './user';

/** Users may have an authenticator app: from then on they sign in with its code too. */
export class UserSecondFactor {
  constructor(
    private readonly users: Users,
    private readonly authenticators: Authenticators,
  ) {}

  /**
   * What the code was; undefined for who has no authenticator. Throws `two_factor_required` where a code is missing,
   * `code_refused` where it is wrong.
   */
  async require(userId: string, code: string | undefined): Promise<SecondFactorKind | undefined> {
    const { system } = this.users.database;
    if (!(await system.transaction((trx) => this.authenticators.isConfirmed(trx, userId)))) return undefined;
    if (!code) throw new DomainError('two_factor_required', 'Send the request again with a code of the authenticator');
    if (!(await this.authenticators.check(undefined, userId, code)))
      throw new DomainError('code_refused', 'The code is wrong, used up or out of time');
    return isTotp(code) ? 'totp' : 'recovery_code';
  }

  /** A new secret, shown this once; it counts after `confirm`. One that is in use is replaced with its code only. */
  async begin(userId: string, code: string | undefined, source: string): Promise<{ secret: string; uri: string }> {
    await this.require(userId, code);
    return this.users.database.system.transaction(async (trx) => {
      const user = await trx('users').where({ id: userId }).first();
      await noteUser(trx, user, { action: 'user.totp_enrol', result: 'done', source });
      return this.authenticators.enrol(trx, undefined, userId, this.users.contactOf(user).email);
    });
  }

  /** Answers ten recovery codes, shown this once. Throws `code_refused`, and `invalid_state` where nothing waits. */
  async confirm(userId: string, code: string, source: string): Promise<string[]> {
    const recoveryCodes = await this.authenticators.confirm(undefined, userId, code);
    await this.note(userId, 'user.totp_confirm', source);
    return recoveryCodes;
  }

  /** Throws `invalid_state` where there is none. */
  async remove(userId: string, code: string | undefined, source: string): Promise<void> {
    await this.require(userId, code);
    const { system } = this.users.database;
    if (!(await system.transaction((trx) => this.authenticators.remove(trx, userId))))
      throw new DomainError('invalid_state', 'This user has no authenticator');
    await this.note(userId, 'user.totp_remove', source);
  }

  private async note(userId: string, action: string, source: string): Promise<void> {
    const { system } = this.users.database;
    const user = await system('users').where({ id: userId }).first('id', 'tenant_id');
    await noteUser(system, user, { action, result: 'done', source });
  }
}
