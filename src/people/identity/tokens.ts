import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { DomainError } from '../../domain/errors';
import type { Database } from '../../foundation/db/database';
import { statement } from '../../foundation/db/named-statements';
import type { Principal, Role } from './principal';
import { tenantSuspended } from './tenants';
import { NEEDS_SECOND_FACTOR, type UserRole } from './users/user';

const MAX_CACHED = 50_000;
/** A session that is in use is written down so often. */
const SEEN_EVERY_MS = 60_000;
/** Cookies hold a token of 43 characters. */
const LONGEST_COOKIE = 200;
/** Access tokens are base64url; anything else is refused without asking the database. */
const BEARER = /^Bearer +([A-Za-z0-9_-]{20,200}) *$/i;

/** The stored form of an opaque token's id. A person who reads the table cannot sign in with it. */
export function tokenDigest(token: string): string {
  return hash('sha256', token, 'base64url');
}

interface Known {
  principal: Principal;
  expiresAt: number;
  /** Its tenant is suspended. */
  isShut: boolean;
}

/** Turns a bearer token (RFC 6750) into the client it stands for. */
export class Tokens {
  private readonly cache: LRUCache<string, Known>;

  /** `cacheMs`: how long a revoked token or a disabled client may go on working. */
  constructor(
    private readonly database: Database,
    cacheMs: number,
  ) {
    this.cache = new LRUCache<string, Known>({
      max: MAX_CACHED,
      // A ttl of 0 would mean forever.
      ttl: Math.max(1, cacheMs),
      fetchMethod: async (digest, _stale, { options }) => {
        const known = await this.look(digest);
        // A person's token that is ended must stop at once: not kept. A ttl of 0 would mean forever.
        if (known?.principal.customerId || known?.principal.userId) options.ttl = 1;
        return known;
      },
    });
  }

  /**
   * `header`: the Authorization header. Throws `unauthorized`, and unless `enrolling` `second_factor_missing` for a user who
   * must have one first. Throws `tenant_suspended` at most as long after the suspension as a token is remembered.
   */
  async authenticate(header: string | undefined, { enrolling = false } = {}): Promise<Principal> {
    if (header === undefined) throw new DomainError('unauthorized', 'An access token is required');
    const token = BEARER.exec(header)?.[1];
    if (token === undefined) throw unknownToken();
    const digest = tokenDigest(token);
    const known = this.cache.get(digest) ?? (await this.cache.fetch(digest));
    if (!known || known.expiresAt <= Date.now()) throw unknownToken();
    if (known.isShut) throw tenantSuspended();
    return admitted(known.principal, enrolling);
  }

  /**
   * `cookie`: what the cookie of a user's session holds. Each use moves the session's end, written down once a minute.
   * Throws as `authenticate` does.
   */
  async authenticateCookie(cookie: string, { enrolling = false } = {}): Promise<Principal> {
    const digest = tokenDigest(cookie.slice(0, LONGEST_COOKIE));
    const [row] = await this.database.named.system.rows<SessionRow & { is_due: boolean }>(SESSION, [
      digest,
      SEEN_EVERY_MS,
    ]);
    if (!row) throw new DomainError('unauthorized', 'You are signed out');
    if (row.is_shut) throw tenantSuspended();
    if (row.is_due) await this.prolong(row.session_id!);
    return admitted(userOf(row), enrolling);
  }

  private async look(digest: string): Promise<Known | undefined> {
    const [row] = await this.database.named.system.rows<HolderRow>(HOLDER, [digest]);
    return row && { principal: HOLDERS[row.kind](row), expiresAt: row.expires_at.getTime(), isShut: row.is_shut };
  }

  private async prolong(sessionId: string): Promise<void> {
    const { system } = this.database;
    await system('user_tokens')
      .where({ id: sessionId })
      .update({
        seen_at: system.raw('clock_timestamp()'),
        expires_at: system.raw("least(ends_at, clock_timestamp() + idle_ms * interval '1 millisecond')"),
      });
  }
}

interface SessionRow {
  id: string;
  role: Role;
  tenant_id: string | null;
  organization_id: string | null;
  session_id: string | null;
  second_factor: string | null;
  is_shut: boolean;
}

/** Whoever holds an access token. */
interface HolderRow extends SessionRow {
  kind: 'client' | 'customer' | 'user';
  terminal_id: string | null;
  expires_at: Date;
}

/** Of the holder of a token. Operators are of no tenant. */
const IS_SHUT = "EXISTS (SELECT FROM tenants WHERE id = holder.tenant_id AND status <> 'active') AS is_shut";

/** The user of a session that goes on. `$1`: the digest. */
const USER_OF_SESSION = `FROM user_tokens token JOIN users holder ON holder.id = token.user_id
  WHERE token.digest = $1 AND token.expires_at > clock_timestamp() AND holder.disabled_at IS NULL`;

/** Token and holder, of whatever kind, in one round trip. */
const HOLDER = statement(
  'token_holder',
  `SELECT 'client' AS kind, holder.id, holder.role, holder.tenant_id, holder.organization_id, holder.terminal_id,
     token.expires_at, NULL AS session_id, NULL AS second_factor, ${IS_SHUT}
   FROM oidc_payloads token JOIN clients holder ON holder.id = token.payload->>'clientId'
   WHERE token.model = 'ClientCredentials' AND token.id = $1 AND holder.disabled_at IS NULL
   UNION ALL
   SELECT 'customer', token.customer_id, 'customer', token.tenant_id, NULL, NULL, token.expires_at, NULL, NULL,
     ${IS_SHUT}
   FROM customer_tokens token JOIN customers holder ON holder.id = token.customer_id
   WHERE token.digest = $1 AND holder.deleted_at IS NULL
   UNION ALL
   SELECT 'user', holder.id, holder.role, holder.tenant_id, holder.organization_id, NULL, token.expires_at, token.id,
     token.second_factor, ${IS_SHUT}
   ${USER_OF_SESSION} AND token.idle_ms IS NULL
   LIMIT 1`,
);

/** A session in a cookie. `$2`: how often its use is written down, in milliseconds. */
const SESSION = statement(
  'session_holder',
  `SELECT holder.id, holder.role, holder.tenant_id, holder.organization_id, token.id AS session_id, token.second_factor,
     ${IS_SHUT},
     token.seen_at < clock_timestamp() - least($2::bigint, token.idle_ms / 4) * interval '1 millisecond' AS is_due
   ${USER_OF_SESSION} AND token.idle_ms IS NOT NULL`,
);

const HOLDERS: Record<HolderRow['kind'], (row: HolderRow) => Principal> = {
  client: (row) => ({
    clientId: row.id,
    role: row.role,
    tenantId: row.tenant_id ?? undefined,
    organizationId: row.organization_id ?? undefined,
    terminalId: row.terminal_id ?? undefined,
  }),
  customer: ({ id, tenant_id }) => ({
    clientId: id,
    role: 'customer',
    tenantId: tenant_id ?? undefined,
    customerId: id,
  }),
  user: userOf,
};

function userOf(row: SessionRow): Principal {
  return {
    clientId: row.id,
    userId: row.id,
    sessionId: row.session_id!,
    role: row.role,
    tenantId: row.tenant_id ?? undefined,
    organizationId: row.organization_id ?? undefined,
    ...(NEEDS_SECOND_FACTOR.includes(row.role as UserRole) && !row.second_factor && { mustEnrol: true as const }),
  };
}

function admitted(principal: Principal, enrolling: boolean): Principal {
  if (principal.mustEnrol && !enrolling)
    throw new DomainError('second_factor_missing', 'Your role needs a second factor: add one first');
  return principal;
}

function unknownToken(): DomainError {
  return new DomainError('unauthorized', 'The access token is unknown or has expired');
}
