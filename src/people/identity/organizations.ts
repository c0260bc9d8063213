import { LRUCache } from 'lru-cache';
import type { Database } from '../../foundation/db/database';
import { EXISTING } from './tenants';

/** A tenant, as it is chosen from a list. */
export interface TenantName {
  tenantId: string;
  name: string;
}

/** An organization, as it is chosen from a list. */
export interface OrganizationName extends TenantName {
  organizationId: string;
  /** It takes real money. */
  live: boolean;
}

/** A page of a list: at most `limit` rows, and one more that says that there is another page. */
interface Page {
  limit: number;
  cursor?: string;
}

const MAX_CACHED = 10_000;
const CACHED_MS = 60_000;

/** Which tenant an organization belongs to. It never moves, so answers are kept; unknown ids are asked again. */
export class Organizations {
  private readonly tenantOf = new LRUCache<string, string>({ max: MAX_CACHED, ttl: CACHED_MS });
  private readonly tenants = new LRUCache<string, true>({ max: MAX_CACHED, ttl: CACHED_MS });

  constructor(private readonly database: Database) {}

  async tenantIdOf(organizationId: string): Promise<string | undefined> {
    const known = this.tenantOf.get(organizationId);
    if (known) return known;
    const row = await this.database.system('organizations').where({ id: organizationId }).first('tenant_id');
    if (row) this.tenantOf.set(organizationId, row.tenant_id);
    return row?.tenant_id;
  }

  /** All tenants but those that are only proposed, newest first. */
  tenantList({ limit, cursor }: Page): Promise<TenantName[]> {
    const rows = this.database
      .system('tenants')
      .whereIn('status', EXISTING)
      .orderBy('id', 'desc')
      .limit(limit + 1);
    if (cursor) rows.where('id', '<', cursor);
    return rows.select('id as tenantId', 'name');
  }

  /** Those of a tenant, or the one that is named; all without both. Newest first. */
  list(scope: { tenantId?: string; organizationId?: string }, { limit, cursor }: Page): Promise<OrganizationName[]> {
    const rows = this.database
      .system('organizations')
      .orderBy('id', 'desc')
      .limit(limit + 1);
    if (scope.tenantId) rows.where({ tenant_id: scope.tenantId });
    if (scope.organizationId) rows.where({ id: scope.organizationId });
    if (cursor) rows.where('id', '<', cursor);
    return rows.select('id as organizationId', 'tenant_id as tenantId', 'name', 'live');
  }

  /** One that is only proposed is not there yet. */
  async tenantExists(tenantId: string): Promise<boolean> {
    if (this.tenants.has(tenantId)) return true;
    const row = await this.database.system('tenants').where({ id: tenantId }).whereIn('status', EXISTING).first('id');
    if (row) this.tenants.set(tenantId, true);
    return row !== undefined;
  }
}
