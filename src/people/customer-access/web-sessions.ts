import type { Knex } from 'knex';
import { notFound } from '../../domain/errors';
import { newId } from '../../domain/ids';
import { isBlocked } from '../../domain/states/customer';
import type { Database } from '../../foundation/db/database';
import { type CustomerRow, findCustomer, type ProfileSeal } from '../customers/customer';
import type { CustomerRecord } from '../customers/profile';
import { newSecret } from '../identity/clients';
import { tokenDigest } from '../identity/tokens';
import type { Addresses } from './addresses';

/** From where somebody signs in on a page, and with what. */
export interface Device {
  source: string;
  userAgent: string;
  /** What the browser shows to be known (`KnownDevices`). */
  known?: string;
}

/** One row of `customer_web_sessions`: a customer who has signed in on a page, or is about to. */
export interface WebSessionRow {
  id: string;
  tenant_id: string;
  customer_id: string;
  /** The question for the second factor that is still open: nobody is signed in yet. */
  code_session_id: string | null;
  /** Null: the password alone has opened it. */
  second_factor_at: Date | null;
  source: string;
  device: string;
  created_at: Date;
  seen_at: Date;
  expires_at: Date;
}

/** A customer who has signed in on a page. */
export interface WebCustomer {
  sessionId: string;
  customerId: string;
  /** The session began with a second factor. */
  hasSecondFactor: boolean;
  name: string;
  email?: string;
}

export interface WebSessionLimits {
  /** Without a request for so long, it ends. */
  idleMs: number;
  /** It ends after so long in any case. */
  ttlMs: number;
}

/** How long somebody may take to type the second factor. */
const CODE_MS = 600_000;
const MAX_DEVICE = 200;

/**
 * Customers who have signed in on a page of ours. The cookie holds a random token, of which only the digest is stored; it
 * is good for one tenant. A new password, erasure and `endTokens` end all sessions of a customer; who is blocked has none.
 */
export class WebSessions {
  constructor(
    private readonly database: Database,
    private readonly addresses: Addresses,
    private readonly seal: ProfileSeal,
    private readonly limits: WebSessionLimits,
  ) {}

  /**
   * Opens a session and answers its token. With `codeSessionId` it only waits for the second factor; `hasSecondFactor`: it
   * was given. `ttlMs`: it ends after so long; absent: as the limits say.
   */
  async begin(
    trx: Knex.Transaction,
    { tenantId, customerId }: { tenantId: string; customerId: string },
    { source, userAgent }: Device,
    {
      codeSessionId,
      hasSecondFactor = false,
      ttlMs = this.limits.ttlMs,
    }: { codeSessionId?: string; hasSecondFactor?: boolean; ttlMs?: number } = {},
  ): Promise<string> {
    const token = newSecret();
    await trx('customer_web_sessions').insert({
      id: newId('webSession'),
      digest: tokenDigest(token),
      tenant_id: tenantId,
      customer_id: customerId,
      code_session_id: codeSessionId ?? null,
      second_factor_at: hasSecondFactor ? trx.raw('clock_timestamp()') : null,
      source,
      device: userAgent.slice(0, MAX_DEVICE),
      expires_at: trx.raw("clock_timestamp() + ? * interval '1 millisecond'", [codeSessionId ? CODE_MS : ttlMs]),
    });
    return token;
  }

  /** The customer that a token stands for, whose session goes on. Undefined where it has ended, or never was. */
  find(tenantId: string, token: string): Promise<WebCustomer | undefined> {
    return this.database.tenant(tenantId, async (trx) => {
      const [session]: WebSessionRow[] = await this.live(trx)
        .where({ digest: tokenDigest(token) })
        .whereNull('code_session_id')
        .update({ seen_at: trx.raw('clock_timestamp()') })
        .returning('*');
      if (!session) return undefined;
      const customer: CustomerRow = await trx('customers').where({ id: session.customer_id }).first();
      if (customer.deleted_at || isBlocked(customer.status)) return undefined;
      return {
        sessionId: session.id,
        customerId: customer.id,
        hasSecondFactor: session.second_factor_at !== null,
        name: (this.seal.open(customer) as CustomerRecord).customerName,
        email: this.addresses.all(customer).find(({ type }) => type === 'email')?.value,
      };
    });
  }

  /** Who has given the password and still owes the second factor. */
  waiting(tenantId: string, token: string): Promise<WebSessionRow | undefined> {
    return this.database.tenant(tenantId, async (trx) =>
      this.live(trx)
        .where({ digest: tokenDigest(token) })
        .whereNotNull('code_session_id')
        .first(),
    );
  }

  /** Ends the session of a token, if there is one. */
  async end(trx: Knex.Transaction, token: string): Promise<void> {
    await trx('customer_web_sessions')
      .where({ digest: tokenDigest(token) })
      .delete();
  }

  /** A customer's sessions that have not ended, newest first. Throws `not_found`. */
  list(tenantId: string, customerId: string): Promise<WebSessionRow[]> {
    return this.database.tenant(tenantId, async (trx) => {
      await findCustomer(trx, customerId);
      return this.live(trx).where({ customer_id: customerId }).whereNull('code_session_id').orderBy('id', 'desc');
    });
  }

  /** Ends one session of a customer. Throws `not_found`. */
  async endOne(trx: Knex.Transaction, customerId: string, sessionId: string): Promise<void> {
    await findCustomer(trx, customerId);
    const ended = await trx('customer_web_sessions').where({ id: sessionId, customer_id: customerId }).delete();
    if (ended === 0) throw notFound('session');
  }

  private live(trx: Knex.Transaction): Knex.QueryBuilder {
    return trx('customer_web_sessions')
      .where('expires_at', '>', trx.raw('clock_timestamp()'))
      .whereRaw("seen_at > clock_timestamp() - ? * interval '1 millisecond'", [this.limits.idleMs]);
  }
}
