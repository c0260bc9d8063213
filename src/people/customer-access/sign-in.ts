import { DomainError } from '../../domain/errors';
import { appendAuditLine } from '../../foundation/audit-log/audit-log';
import type { Database } from '../../foundation/db/database';
import type { IdentifierType } from '../customers/identifiers';
import type { CustomerTokens } from '../identity/customer-tokens';
import type { Organizations } from '../identity/organizations';
import type { PasswordCheck } from '../identity/password-check';
import type { SignInThrottle } from '../identity/sign-in-throttle';
import type { Addresses } from './addresses';
import type { GivenCode, SecondFactor } from './second-factor';

export interface PasswordSignIn extends GivenCode {
  tenantId: string;
  type: IdentifierType;
  value: string;
  password: string;
  /** What the device shows to be known. */
  device?: string;
}

/** Customers sign in with their password, and with a second factor where `login` asks for one. */
export class CustomerSignIn {
  constructor(
    private readonly database: Database,
    private readonly organizations: Organizations,
    private readonly addresses: Addresses,
    private readonly secondFactor: SecondFactor,
    private readonly tokens: CustomerTokens,
    private readonly throttle: SignInThrottle,
    private readonly passwords: PasswordCheck,
  ) {}

  /**
   * Throws `unauthorized`, alike whether customer, password or lock is the reason and after the same work;
   * `two_factor_required` and `code_refused` once the password was right; `rate_limited` for a source that tries too much.
   */
  async signIn(
    { tenantId, type, value, password, device, ...given }: PasswordSignIn,
    source: string,
  ): Promise<{ customerId: string; token: string; ttlMs: number }> {
    const customerId = await this.checkPassword({ tenantId, type, value, password, device }, source);
    await this.secondFactor.require({ tenantId, customerId, askedBy: customerId }, 'login', given);
    const token = await this.database.tenant(tenantId, (trx) => this.tokens.issue(trx, tenantId, customerId));
    await this.note(tenantId, customerId, source, 'done');
    return { customerId, token, ttlMs: this.tokens.ttlMs };
  }

  /** The customer whose password this is. Every wrong try counts, whichever way it comes. Throws as `signIn` does. */
  async checkPassword(
    { tenantId, type, value, password, device }: Omit<PasswordSignIn, keyof GivenCode>,
    source: string,
  ): Promise<string> {
    const wait = await this.throttle.take(THROTTLED, source);
    if (wait > 0)
      throw new DomainError('rate_limited', 'Too many wrong tries, wait before the next', { retryAfterSeconds: wait });
    // A name is looked for within one tenant; who names no tenant of ours costs no hash.
    if (!(await this.organizations.tenantExists(tenantId))) throw refused();
    const [found] = await this.database.tenant(tenantId, (trx) => this.addresses.find(trx, type, value));
    const customerId = found?.customer_id;
    const row = { customer_id: customerId, kind: 'password' };
    const stored = customerId ? { table: 'customer_secrets', row, ownerId: customerId } : undefined;
    const guess = { name: `${tenantId} ${type} ${value}`, source, device };
    if (!(await this.passwords.matches(stored, password, guess)) || !customerId) {
      await this.note(tenantId, customerId, source, 'refused');
      throw refused();
    }
    await this.throttle.giveBack(THROTTLED, source);
    return customerId;
  }

  /** Writes down a sign-in. */
  async note(
    tenantId: string,
    customerId: string | undefined,
    source: string,
    result: 'done' | 'refused',
  ): Promise<void> {
    const [actor, target] = [customerId ?? 'unknown customer', customerId];
    const line = { tenantId, actor, action: 'customer.sign_in', target, source, result, detail: { by: 'password' } };
    await this.database.tenant(tenantId, (trx) => appendAuditLine(trx, line));
  }
}

const THROTTLED = 'customers';

function refused(): DomainError {
  return new DomainError(
    'unauthorized',
    'Customer or password is wrong, or there were too many wrong tries in the last 30 minutes',
  );
}
