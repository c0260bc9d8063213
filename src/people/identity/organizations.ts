import { LRUCache } from 'lru-cache';
import type { Database } from '../../foundation/db/database';

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

  async tenantExists(tenantId: string): Promise<boolean> {
    if (this.tenants.has(tenantId)) return true;
    const row = await this.database.system('tenants').where({ id: tenantId }).first('id');
    if (row) this.tenants.set(tenantId, true);
    return row !== undefined;
  }
}
