import { DomainError } from '../../../domain/errors';
import type { PasswordCheck } from '../password-check';
import type { SignInThrottle } from '../sign-in-throttle';
import { requireActiveTenant } from '../tenants';
import type { UserSecondFactor } from './second-factor';
import { endSessions, type UserDevice, type UserSession, type UserSessions } from './sessions';
import { noteUser, type UserRow, type Users } from './user';

export interface UserSignInBody {
  email: string;
  password: string;
  /** The code of the authenticator, or a recovery code. Only when the user has an authenticator. */
  code?: string;
}

/** A user who has signed in. The token is in this answer and nowhere else. */
export interface SignedInUser {
  user: UserRow;
  token: string;
  session: UserSession;
}

/** Users sign in with e-mail address and password, and with a code where they have an authenticator. */
export class UserSignIn {
  /** `throttle`: wrong tries of all users from one source address. */
  constructor(
    private readonly users: Users,
    private readonly secondFactor: UserSecondFactor,
    private readonly sessions: UserSessions,
    private readonly throttle: SignInThrottle,
    private readonly passwords: PasswordCheck,
  ) {}

  /**
   * An access token, or the token of a cookie. Throws `unauthorized`, alike whether address, password or lock is the reason
   * and after the same work; `tenant_suspended`, `two_factor_required` and `code_refused` once the password was right; `rate_limited` for a
   * source that tries too much.
   */
  async signIn(
    kind: UserSession['kind'],
    { email, password, code }: UserSignInBody,
    device: UserDevice,
  ): Promise<SignedInUser> {
    const { source } = device;
    const wait = await this.throttle.take(THROTTLED, source);
    if (wait > 0)
      throw new DomainError('rate_limited', 'Too many wrong tries, wait before the next', { retryAfterSeconds: wait });
    const { system } = this.users.database;
    const user = await this.users.findByEmail(system, email);
    const stored = user && { table: 'users', row: { id: user.id }, column: 'password_hash', ownerId: user.id };
    if (!(await this.passwords.matches(stored, password, { name: email, source, device: device.known })) || !user) {
      await noteUser(system, user, { action: 'user.sign_in', result: 'refused', source });
      throw refused();
    }
    await this.throttle.giveBack(THROTTLED, source);
    if (user.tenant_id) await requireActiveTenant(system, user.tenant_id);
    const factor = await this.secondFactor.require(user.id, code);
    return system.transaction(async (trx) => {
      const begun = await this.sessions.begin(trx, user.id, kind, device, factor);
      await noteUser(trx, user, { action: 'user.sign_in', result: 'done', source });
      return { user, ...begun };
    });
  }

  /** Ends all of a user's sessions, at once. */
  async signOut(userId: string, source: string): Promise<void> {
    await this.users.database.system.transaction(async (trx) => {
      await endSessions(trx, userId);
      const user = await trx('users').where({ id: userId }).first('id', 'tenant_id');
      await noteUser(trx, user, { action: 'user.sign_out', result: 'done', source });
    });
  }
}

const THROTTLED = 'users';

function refused(): DomainError {
  return new DomainError(
    'unauthorized',
    'E-mail address or password is wrong, or there were too many wrong tries in the last 30 minutes',
  );
}
