import type { Knex } from 'knex';
import { found } from '../../../domain/errors';
import type { Database } from '../../../foundation/db/database';
import { newSecret } from '../clients';
import { tokenDigest } from '../tokens';
import { noteUser } from './user';

/** What a person has shown beside the password. A passkey counts as both. */
export const SECOND_FACTOR_KINDS = ['totp', 'recovery_code', 'passkey'] as const;
export type SecondFactorKind = (typeof SECOND_FACTOR_KINDS)[number];

/** From where a person signs in, and with what. */
export interface UserDevice {
  /** Address of the request. */
  source: string;
  /** What the browser or program calls itself. */
  agent?: string;
  /** What the browser shows to be known (`KnownDevices`). */
  known?: string;
}

/** Where a person is signed in. */
export interface UserSession {
  sessionId: string;
  kind: 'token' | 'cookie';
  /** Address from which the person signed in. */
  source?: string;
  /** What the browser or program calls itself. */
  agent?: string;
  secondFactor?: SecondFactorKind;
  createdAt: Date;
  /** The last use of a cookie, to the minute. */
  seenAt: Date;
  /** When it ends; a cookie: unless it is used before. */
  expiresAt: Date;
  /** When a cookie ends in any case. */
  endsAt?: Date;
}

export interface SessionLimits {
  /** Of a bearer token, in milliseconds. */
  tokenTtlMs: number;
  /** Of a cookie, in milliseconds: without a request, and in any case. */
  cookie: { idleMs: number; ttlMs: number };
}

interface TokenRow {
  id: string;
  user_id: string;
  source: string | null;
  agent: string | null;
  second_factor: SecondFactorKind | null;
  created_at: Date;
  seen_at: Date;
  expires_at: Date;
  ends_at: Date | null;
}

const MAX_AGENT = 300;

/** The sessions of a person: each is an access token, or a cookie. Only the digest of either is stored. */
export class UserSessions {
  constructor(
    private readonly database: Pick<Database, 'system'>,
    readonly limits: SessionLimits,
  ) {}

  /** Opens a session; answers it, and its token, which is in this answer and nowhere else. */
  async begin(
    trx: Knex.Transaction,
    userId: string,
    kind: UserSession['kind'],
    { source, agent }: UserDevice,
    secondFactor?: SecondFactorKind,
  ): Promise<{ token: string; session: UserSession }> {
    const token = newSecret();
    const { tokenTtlMs, cookie } = this.limits;
    const isCookie = kind === 'cookie';
    const inMs = (ms: number) => trx.raw("clock_timestamp() + ? * interval '1 millisecond'", [ms]);
    const [row]: TokenRow[] = await trx('user_tokens')
      .insert({
        digest: tokenDigest(token),
        user_id: userId,
        source,
        agent: agent?.slice(0, MAX_AGENT) ?? null,
        second_factor: secondFactor ?? null,
        expires_at: inMs(isCookie ? Math.min(cookie.idleMs, cookie.ttlMs) : tokenTtlMs),
        ...(isCookie && { idle_ms: cookie.idleMs, ends_at: inMs(cookie.ttlMs) }),
      })
      .returning('*');
    return { token, session: present(row!) };
  }

  /** Those that are good now, newest first. */
  async list(userId: string): Promise<UserSession[]> {
    const rows: TokenRow[] = await this.live()
      .where({ user_id: userId })
      .orderBy([{ column: 'created_at', order: 'desc' }, 'id']);
    return rows.map(present);
  }

  /** Throws `not_found`. */
  async find(userId: string, sessionId: string): Promise<UserSession> {
    return present(found<TokenRow>(await this.live().where({ id: sessionId, user_id: userId }).first(), 'session'));
  }

  /** Its token is refused from now on. Throws `not_found`. */
  async end(userId: string, sessionId: string, source: string): Promise<void> {
    await this.database.system.transaction(async (trx) => {
      const [ended] = await trx('user_tokens').where({ id: sessionId, user_id: userId }).delete().returning('id');
      found(ended, 'session');
      const user = await trx('users').where({ id: userId }).first('id', 'tenant_id');
      await noteUser(trx, user, { action: 'user.session_end', result: 'done', source, detail: { sessionId } });
    });
  }

  private live(): Knex.QueryBuilder {
    const { system } = this.database;
    return system('user_tokens').where('expires_at', '>', system.raw('clock_timestamp()'));
  }
}

/** Ends the sessions of a user, all or all but one. They are never cached: they stop at once. */
export async function endSessions(
  trx: Knex.Transaction,
  userId: string,
  { but }: { but?: string } = {},
): Promise<void> {
  const sessions = trx('user_tokens').where({ user_id: userId });
  await (but === undefined ? sessions : sessions.whereNot({ id: but })).delete();
}

function present(row: TokenRow): UserSession {
  const { id, source, agent, second_factor, created_at, seen_at, expires_at, ends_at } = row;
  return {
    sessionId: id,
    kind: ends_at ? 'cookie' : 'token',
    ...(source && { source }),
    ...(agent && { agent }),
    ...(second_factor && { secondFactor: second_factor }),
    createdAt: created_at,
    seenAt: seen_at,
    expiresAt: expires_at,
    ...(ends_at && { endsAt: ends_at }),
  };
}
