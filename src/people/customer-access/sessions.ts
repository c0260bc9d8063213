import { randomInt } from 'node:crypto';
import type { Knex } from 'knex';
import { type RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '../../domain/errors';
import { newId } from '../../domain/ids';
import type { Database } from '../../foundation/db/database';
import type { Messenger } from '../../foundation/messages/messenger';
import { Mac } from '../../foundation/vault/keyring';
import type { Address } from '../customers/identifiers';
import type { Authenticators } from '../identity/authenticators';
import { rateLimiter } from '../identity/rate-limiter';
import { channelOf } from './addresses';

export const CODE_MINUTES = 5;
const TRIES = 5;
/** Wrong codes of one customer, whatever sessions they are for, before none counts any more, and for how long. */
const WRONG_CODES = 10;
const WRONG_SECONDS = 1_800;

/** What a code is asked for: one for another purpose does not count. */
export type Purpose = 'credentials' | 'verification' | 'login' | 'trading' | 'funding' | 'settings' | 'step_up';

/** A question for a code, as its asker may know it. */
export interface Session {
  sessionId: string;
  method: 'email' | 'sms' | 'totp';
  expiresAt: Date;
}

interface SessionRow {
  id: string;
  customer_id: string;
  method: Session['method'];
  identifier_mac: Buffer | null;
  code_mac: Buffer | null;
}

/** What a code is asked for, where it is more than a purpose. */
export interface Asked {
  /** The request, whole: the code is good for exactly this (RTS on strong customer authentication, article 5). */
  terms: string;
  /** As the customer reads it, after "your code": amount and payee where money moves. */
  words?: string;
}

/** The letter that brings a code. */
export type Letter = (code: string) => { subject: string; text: string };

const WHAT_FOR: Record<Purpose, string> = {
  credentials: 'to sign in',
  verification: 'to confirm this address',
  login: 'to sign in',
  trading: 'to confirm a change of your recipients, standing orders or requests',
  funding: 'to confirm a movement of money',
  settings: 'to change how you sign in',
  step_up: 'to confirm a payment',
};

/** Which session a code answers. Without a customer: none. */
interface Question {
  customerId?: string;
  purpose: Purpose;
  sessionId?: string;
  /** What it was asked about (`Asked`). */
  terms?: string;
}

interface NewSession {
  tenantId: string;
  customerId?: string;
  purpose: Purpose;
  /** Absent: the authenticator answers. */
  address?: Address;
  code?: string;
  asked?: Asked;
}

export interface CodeLimits {
  perCustomer: number;
  perClient: number;
  windowMs: number;
}

/** One-time codes: six digits, one use, five minutes, five tries (contract, section 6). */
export class Sessions {
  private readonly mac: Mac;
  private readonly ofCustomer: RateLimiterPostgres;
  private readonly ofClient: RateLimiterPostgres;
  private readonly wrong: RateLimiterPostgres;

  /** `hmacKey`: VAULT_HMAC_KEY. */
  constructor(
    private readonly database: Database,
    private readonly messenger: Messenger,
    private readonly authenticators: Authenticators,
    hmacKey: string,
    limits: CodeLimits,
  ) {
    this.mac = new Mac(hmacKey, 'one-time-code');
    const limiter = (keyPrefix: string, points: number, duration = Math.ceil(limits.windowMs / 1000)) =>
      rateLimiter(database.system, { keyPrefix, points, duration });
    this.ofCustomer = limiter('code', limits.perCustomer);
    this.ofClient = limiter('code-client', limits.perClient);
    this.wrong = limiter('code-wrong', WRONG_CODES, WRONG_SECONDS);
  }

  /**
   * Counts one code. `subject`: the customer, or what was asked for where that names nobody. Throws `rate_limited`, alike
   * for both.
   */
  async admit(subject: string, clientId: string): Promise<void> {
    try {
      await this.ofClient.consume(clientId);
      await this.ofCustomer.consume(subject);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      throw new DomainError('rate_limited', 'Too many codes were asked for, wait before the next', {
        retryAfterSeconds: Math.max(1, Math.ceil(error.msBeforeNext / 1000)),
      });
    }
  }

  /** Opens a session and sends its code to a verified address, or to one that is being verified. */
  async sendCode(
    trx: Knex.Transaction,
    to: { tenantId: string; customerId: string; address: Address },
    purpose: Purpose,
    { asked, letter }: { asked?: Asked; letter?: Letter } = {},
  ): Promise<Session> {
    const { tenantId, customerId, address } = to;
    const code = newCode();
    const session = await this.insert(trx, { tenantId, customerId, purpose, address, code, asked });
    await this.messenger.send(trx, {
      tenantId,
      channel: channelOf(address),
      to: address.value,
      ...(letter?.(code) ?? { subject: 'Your one-time code', text: textOf(code, asked?.words ?? WHAT_FOR[purpose]) }),
    });
    return session;
  }

  /** Does the same work for an unknown customer, and sends nothing. */
  async pretend(trx: Knex.Transaction, tenantId: string, purpose: Purpose): Promise<void> {
    const code = newCode();
    await this.insert(trx, { tenantId, purpose, address: NOWHERE, code });
    await this.messenger.decoy(trx, {
      tenantId,
      channel: 'email',
      to: NOWHERE.value,
      subject: 'Your one-time code',
      text: textOf(code, WHAT_FOR[purpose]),
    });
  }

  /** Opens a session that the customer's authenticator answers. */
  async askAuthenticator(
    trx: Knex.Transaction,
    tenantId: string,
    customerId: string,
    purpose: Purpose,
    asked?: Asked,
  ): Promise<Session> {
    return this.insert(trx, { tenantId, customerId, purpose, asked });
  }

  /**
   * Whether the code answers the customer's session: the one named, else the latest for the purpose, asked about the same
   * request (`terms`). Right or wrong, the
   * try is counted, in transactions of its own; a right code is used up. Undefined when it is wrong, used, expired or
   * tried too often, or after ten wrong ones of this customer in half an hour. Without a customer: the same work, undefined.
   * `alongside`: what belongs into the transaction that uses the code up.
   */
  async answer(
    tenantId: string,
    { customerId = '', purpose, sessionId, terms }: Question,
    code: string,
    alongside?: (trx: Knex.Transaction) => Promise<unknown>,
  ): Promise<SessionRow | undefined> {
    const session = await this.database.tenant(tenantId, async (trx): Promise<SessionRow | undefined> => {
      const { rows } = await trx.raw(
        `UPDATE customer_sessions SET tries = tries + 1
         WHERE id = (SELECT id FROM customer_sessions WHERE customer_id = :customerId AND purpose = :purpose
             AND (:sessionId::text IS NULL OR id = :sessionId) ORDER BY created_at DESC LIMIT 1)
           AND CASE WHEN :isBound THEN request_mac = ANY(:requestMacs::bytea[]) ELSE request_mac IS NULL END
           AND used_at IS NULL AND expires_at > clock_timestamp() AND tries < :tries
         RETURNING id, customer_id, method, identifier_mac, code_mac`,
        {
          customerId,
          purpose,
          sessionId: sessionId ?? null,
          tries: TRIES,
          isBound: terms !== undefined,
          requestMacs: this.mac.all(requestOf(terms ?? '')),
        },
      );
      return rows[0];
    });
    const matches =
      session?.method === 'totp'
        ? await this.authenticators.check(tenantId, session.customer_id, code)
        : this.mac.matches(session?.code_mac ?? NO_CODE, `${session?.id ?? ''}\0${code}`);
    const subject = customerId || 'nobody';
    const isLocked = ((await this.wrong.get(subject))?.consumedPoints ?? 0) >= WRONG_CODES;
    if (matches && session && !isLocked && (await this.use(tenantId, session, alongside))) return session;
    await this.wrong.penalty(subject);
    return undefined;
  }

  /** When two right answers arrive at once, only one counts. */
  private use(
    tenantId: string,
    { id }: SessionRow,
    alongside?: (trx: Knex.Transaction) => Promise<unknown>,
  ): Promise<boolean> {
    return this.database.tenant(tenantId, async (trx) => {
      const used = await trx('customer_sessions')
        .where({ id })
        .whereNull('used_at')
        .update({ used_at: trx.raw('clock_timestamp()') });
      if (used === 1) await alongside?.(trx);
      return used === 1;
    });
  }

  private async insert(
    trx: Knex.Transaction,
    { tenantId, customerId, purpose, address, code, asked }: NewSession,
  ): Promise<Session> {
    const sessionId = newId('session');
    const method = address ? channelOf(address) : 'totp';
    const [{ expires_at }] = await trx('customer_sessions')
      .insert({
        id: sessionId,
        tenant_id: tenantId,
        customer_id: customerId ?? null,
        purpose,
        method,
        identifier_mac: address?.mac ?? null,
        request_mac: asked ? this.mac.of(requestOf(asked.terms)) : null,
        code_mac: code === undefined ? null : this.mac.of(`${sessionId}\0${code}`),
        expires_at: trx.raw("clock_timestamp() + ? * interval '1 minute'", [CODE_MINUTES]),
      })
      .returning('expires_at');
    return { sessionId, method, expiresAt: expires_at };
  }
}

const requestOf = (terms: string) => `request\0${terms}`;

const NO_CODE = Buffer.alloc(32);
const NOWHERE: Address = { type: 'email', value: 'nobody@example.invalid', mac: NO_CODE };

function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}

function textOf(code: string, words: string): string {
  return (
    `${code} is your code ${words}. It is good for ${CODE_MINUTES} minutes and one use. ` +
    'Never pass it on; if you did not ask for it, ignore this message.'
  );
}

/** The one refusal of a code, whatever is wrong with it. */
export function codeRefused(): DomainError {
  return new DomainError('code_refused', 'The code is wrong, used up or out of time');
}
