import { hash } from 'node:crypto';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { DomainError } from '../../domain/errors';
import type { Database } from '../../foundation/db/database';
import type { Principal, Role } from './principal';
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
   * must have one first.
   */
  async authenticate(header: string | undefined, { enrolling = false } = {}): Promise<Principal> {
    if (header === undefined) throw new DomainError('unauthorized', 'An access token is required');
    const token = BEARER.exec(header)?.[1];
    if (token === undefined) throw unknownToken();
    const digest = tokenDigest(token);
    const known = this.cache.get(digest) ?? (await this.cache.fetch(digest));
    if (!known || known.expiresAt <= Date.now()) throw unknownToken();
    return admitted(known.principal, enrolling);
  }

  /**
   * `cookie`: what the cookie of a user's session holds. Each use moves the session's end, written down once a minute.
   * Throws as `authenticate` does.
   */
  async authenticateCookie(cookie: string, { enrolling = false } = {}): Promise<Principal> {
    const digest = tokenDigest(cookie.slice(0, LONGEST_COOKIE));
    const row = await this.session(digest)
      .whereNotNull('token.idle_ms')
      .first(...SESSION_COLUMNS, this.isDue());
    if (!row) throw new DomainError('unauthorized', 'You are signed out');
    if (row.is_due) await this.prolong(row.session_id);
    return admitted(principalOf(row), enrolling);
  }

  private async look(digest: string): Promise<Known | undefined> {
    const row = await this.database
      .system('oidc_payloads as token')
      .join('clients as client', 'client.id', this.database.system.raw("token.payload->>'clientId'"))
      .where({ 'token.model': 'ClientCredentials', 'token.id': digest })
      .whereNull('client.disabled_at')
      .first('client.*', 'token.expires_at');
    if (!row) return this.lookForCustomer(digest);
    const principal: Principal = {
      clientId: row.id,
      role: row.role,
      tenantId: row.tenant_id ?? undefined,
      organizationId: row.organization_id ?? undefined,
      terminalId: row.terminal_id ?? undefined,
    };
    return { principal, expiresAt: row.expires_at.getTime() };
  }

  private async lookForCustomer(digest: string): Promise<Known | undefined> {
    const row = await this.database
      .system('customer_tokens as token')
      .join('customers as customer', 'customer.id', 'token.customer_id')
      .where({ 'token.digest': digest })
      .whereNull('customer.deleted_at')
      .first('token.*');
    if (!row) return this.lookForUser(digest);
    const { customer_id: customerId, tenant_id: tenantId } = row;
    const principal: Principal = { clientId: customerId, role: 'customer', tenantId, customerId };
    return { principal, expiresAt: row.expires_at.getTime() };
  }

  private async lookForUser(digest: string): Promise<Known | undefined> {
    const row = await this.session(digest)
      .whereNull('token.idle_ms')
      .first(...SESSION_COLUMNS);
    return row && { principal: principalOf(row), expiresAt: row.expires_at.getTime() };
  }

  private session(digest: string): Knex.QueryBuilder {
    const { system } = this.database;
    return system('user_tokens as token')
      .join('users as user', 'user.id', 'token.user_id')
      .where({ 'token.digest': digest })
      .where('token.expires_at', '>', system.raw('clock_timestamp()'))
      .whereNull('user.disabled_at');
  }

  private isDue(): Knex.Raw {
    return this.database.system.raw(
      "token.seen_at < clock_timestamp() - least(?, token.idle_ms / 4) * interval '1 millisecond' AS is_due",
      [SEEN_EVERY_MS],
    );
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
  session_id: string;
  second_factor: string | null;
}

const SESSION_COLUMNS = [
  'user.id',
  'user.role',
  'user.tenant_id',
  'user.organization_id',
  'token.expires_at',
  'token.id as session_id',
  'token.second_factor',
];

function principalOf(row: SessionRow): Principal {
  return {
    clientId: row.id,
    userId: row.id,
    sessionId: row.session_id,
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
