import type { Knex } from 'knex';
import { DomainError } from '../../../domain/errors';
import { newSecret } from '../clients';
import { checkPassword } from '../passwords';
import type { SignInThrottle } from '../sign-in-throttle';
import { tokenDigest } from '../tokens';
import type { UserSecondFactor } from './second-factor';
import { noteUser, type UserRow, type Users } from './user';

export interface UserSignInBody {
  email: string;
  password: string;
  /** The code of the authenticator, or a recovery code. Only when the user has an authenticator. */
  code?: string;
}

/** Users sign in with e-mail address and password, and with a code where they have an authenticator. */
export class UserSignIn {
  /** `throttle`: wrong tries of all users from one source address. */
  constructor(
    private readonly users: Users,
    private readonly secondFactor: UserSecondFactor,
    private readonly throttle: SignInThrottle,
    readonly tokenTtlMs: number,
  ) {}

  /**
   * An access token. Throws `unauthorized`, alike whether address, password or lock is the reason and after the same work;
   * `two_factor_required` and `code_refused` once the password was right; `rate_limited` for a source that tries too much.
   */
  async signIn(
    { email, password, code }: UserSignInBody,
    source: string,
    agent?: string,
  ): Promise<{ user: UserRow; token: string }> {
    const wait = await this.throttle.wait(THROTTLED, source);
    if (wait > 0)
      throw new DomainError('rate_limited', 'Too many wrong tries, wait before the next', { retryAfterSeconds: wait });
    const { system } = this.users.database;
    const user = await this.users.findByEmail(system, email);
    const stored = user && { table: 'users', row: { id: user.id }, column: 'password_hash' };
    if (!(await checkPassword(system, stored, password)) || !user) {
      await this.throttle.countWrong(THROTTLED, source);
      await noteUser(system, user, { action: 'user.sign_in', result: 'refused', source });
      throw refused();
    }
    await this.secondFactor.require(user.id, code);
    return system.transaction(async (trx) => {
      const token = newSecret();
      await trx('user_tokens').insert({
        digest: tokenDigest(token),
        user_id: user.id,
        source,
        agent: agent?.slice(0, MAX_AGENT) ?? null,
        expires_at: trx.raw("clock_timestamp() + ? * interval '1 millisecond'", [this.tokenTtlMs]),
      });
      await noteUser(trx, user, { action: 'user.sign_in', result: 'done', source });
      return { user, token };
    });
  }

  /** Ends all of a user's tokens, at once. */
  async signOut(userId: string, source: string): Promise<void> {
    await this.users.database.system.transaction(async (trx) => {
      await endUserTokens(trx, userId);
      const user = await trx('users').where({ id: userId }).first('id', 'tenant_id');
      await noteUser(trx, user, { action: 'user.sign_out', result: 'done', source });
    });
  }
}

/** Ends every token of a user. They are never cached: they stop at once. */
export async function endUserTokens(trx: Knex.Transaction, userId: string): Promise<void> {
  await trx('user_tokens').where({ user_id: userId }).delete();
}

const THROTTLED = 'users';
const MAX_AGENT = 300;

function refused(): DomainError {
  return new DomainError(
    'unauthorized',
    'E-mail address or password is wrong, or there were too many wrong tries in the last 30 minutes',
  );
}
