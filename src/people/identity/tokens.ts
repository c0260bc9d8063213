import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { DomainError } from '../../domain/errors';
import type { Database } from '../../foundation/db/database';
import type { Principal } from './principal';

const MAX_CACHED = 50_000;
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

  /** `header`: the Authorization header. Throws `unauthorized`. */
  async authenticate(header: string | undefined): Promise<Principal> {
    if (header === undefined) throw new DomainError('unauthorized', 'An access token is required');
    const token = BEARER.exec(header)?.[1];
    if (token === undefined) throw unknownToken();
    const digest = tokenDigest(token);
    const known = this.cache.get(digest) ?? (await this.cache.fetch(digest));
    if (!known || known.expiresAt <= Date.now()) throw unknownToken();
    return known.principal;
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
    const row = await this.database
      .system('user_tokens as token')
      .join('users as user', 'user.id', 'token.user_id')
      .where({ 'token.digest': digest })
      .whereNull('user.disabled_at')
      .first(
        'user.id',
        'user.role',
        'user.tenant_id',
        'user.organization_id',
        'token.expires_at',
        'token.id as session_id',
      );
    if (!row) return undefined;
    const principal: Principal = {
      clientId: row.id,
      userId: row.id,
      sessionId: row.session_id,
      role: row.role,
      tenantId: row.tenant_id ?? undefined,
      organizationId: row.organization_id ?? undefined,
    };
    return { principal, expiresAt: row.expires_at.getTime() };
  }
}

function unknownToken(): DomainError {
  return new DomainError('unauthorized', 'The access token is unknown or has expired');
}
