import { LRUCache } from 'lru-cache';
import { DomainError } from '../../domain/errors';
import type { Database } from '../../foundation/db/database';
import { assertMayTransact, findCustomer } from '../customers/customer';
import type { IdentifierType } from '../customers/identifiers';
import { endTokens } from '../identity/customer-tokens';
import type { SecondFactor } from './second-factor';
import type { CustomerSignIn } from './sign-in';
import type { Device, WebSessions } from './web-sessions';

/** Every page asks. A tenant's first customer with a password sees the way in this much later. */
const OFFER_CACHED_MS = 5_000;

/** What becomes of a try to sign in on a page: signed in, or the second factor comes next. Either has a token of its own. */
export type SignedIn = { token: string; next: 'done'; customerId: string } | { token: string; next: 'code' };

export interface SignInTerms {
  /** The second factor is asked for in any case. */
  needsCode?: boolean;
  /** How long the session lasts at most. */
  sessionMs?: number;
}

/** Customers sign in on pages: the password, then the second factor where `login` asks for it, as in the API. */
export class WebSignIn {
  private readonly offered = new LRUCache<string, boolean>({ max: 1_000, ttl: OFFER_CACHED_MS });

  constructor(
    private readonly database: Database,
    private readonly signIn: CustomerSignIn,
    private readonly secondFactor: SecondFactor,
    private readonly sessions: WebSessions,
  ) {}

  /** Whether any customer of a tenant can sign in. */
  async isOffered(tenantId: string): Promise<boolean> {
    const known = this.offered.get(tenantId);
    if (known !== undefined) return known;
    const some = await this.database.tenant(tenantId, (trx) =>
      trx('customer_secrets').where({ tenant_id: tenantId, kind: 'password' }).first('customer_id'),
    );
    this.offered.set(tenantId, some !== undefined);
    return some !== undefined;
  }

  /**
   * Throws `unauthorized`, alike for unknown customer, wrong password and lock; `rate_limited`; `customer_blocked`; and
   * `two_factor_required` where the customer has no way to get a code.
   */
  async withPassword(
    tenantId: string,
    { value, password }: { value: string; password: string },
    device: Device,
    { needsCode = false, sessionMs }: SignInTerms = {},
  ): Promise<SignedIn> {
    const type = typeOf(value);
    const { source, known } = device;
    const customerId = await this.signIn.checkPassword({ tenantId, type, value, password, device: known }, source);
    const who = { tenantId, customerId };
    const codeSessionId = await this.questionFor(who, needsCode);
    if (!codeSessionId) return { token: await this.enter(who, device, { sessionMs }), next: 'done', customerId };
    const token = await this.database.tenant(tenantId, (trx) =>
      this.sessions.begin(trx, who, device, { codeSessionId }),
    );
    return { token, next: 'code' };
  }

  /**
   * The second factor of who has given the password. The session gets a new token. Throws `code_refused`, and
   * `unauthorized` where nobody waits for it.
   */
  async withCode(
    tenantId: string,
    waiting: string,
    code: string,
    device: Device,
    { sessionMs }: Pick<SignInTerms, 'sessionMs'> = {},
  ): Promise<SignedIn & { next: 'done' }> {
    const session = await this.sessions.waiting(tenantId, waiting);
    if (!session) throw new DomainError('unauthorized', 'The time for the code is up');
    const who = { tenantId, customerId: session.customer_id };
    const given = { sessionId: session.code_session_id!, code };
    await this.secondFactor.demand({ ...who, askedBy: who.customerId }, 'login', given);
    const token = await this.enter(who, device, { sessionMs, instead: waiting });
    return { token, next: 'done', customerId: who.customerId };
  }

  /** Ends the session of a token; with `everywhere` all sessions and tokens of its customer. */
  async signOut(tenantId: string, token: string, { everywhere = false } = {}): Promise<void> {
    const customer = everywhere ? await this.sessions.find(tenantId, token) : undefined;
    await this.database.tenant(tenantId, async (trx) => {
      if (customer) await endTokens(trx, customer.customerId);
      await this.sessions.end(trx, token);
    });
  }

  /** The question that the second factor answers; undefined where none is asked for. */
  private async questionFor(
    who: { tenantId: string; customerId: string },
    needsCode: boolean,
  ): Promise<string | undefined> {
    const challenged = { ...who, askedBy: who.customerId };
    try {
      if (needsCode) await this.secondFactor.demand(challenged, 'login', {});
      else await this.secondFactor.require(challenged, 'login', {});
      return undefined;
    } catch (error) {
      if (error instanceof DomainError && error.session) return error.session.sessionId;
      throw error;
    }
  }

  private async enter(
    who: { tenantId: string; customerId: string },
    device: Device,
    /** `instead`: the session that has waited for the second factor, which was given now. */
    { sessionMs, instead }: { sessionMs?: number; instead?: string },
  ): Promise<string> {
    const { tenantId, customerId } = who;
    const token = await this.database.tenant(tenantId, async (trx) => {
      assertMayTransact(await findCustomer(trx, customerId));
      if (instead) await this.sessions.end(trx, instead);
      return this.sessions.begin(trx, who, device, { hasSecondFactor: instead !== undefined, ttlMs: sessionMs });
    });
    await this.signIn.note(tenantId, customerId, device.source, 'done');
    return token;
  }
}

/** What people type into one field: an e-mail address, a telephone number, or the user name that the tenant gave them. */
function typeOf(value: string): IdentifierType {
  if (value.includes('@')) return 'email';
  return /^\+?[\d\s()./-]{6,}$/.test(value) ? 'phone' : 'username';
}
