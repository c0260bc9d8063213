import { LRUCache } from 'lru-cache';
import type { Database } from '../../foundation/db/database';

const CACHED_MS = 5_000;

/** The merchant accounts of an organization, oldest first. */
export class Terminals {
  private readonly cache = new LRUCache<string, string[]>({ max: 10_000, ttl: CACHED_MS });

  constructor(private readonly database: Database) {}

  async of(tenantId: string, organizationId: string): Promise<string[]> {
    const cached = this.cache.get(organizationId);
    if (cached) return cached;
    const rows: { terminal_id: string }[] = await this.database.tenant(tenantId, (trx) =>
      trx('merchant_accounts')
        .where({ organization_id: organizationId })
        .orderBy(['created_at', 'terminal_id'])
        .select('terminal_id'),
    );
    const ids = rows.map((row) => row.terminal_id);
    if (ids.length > 0) this.cache.set(organizationId, ids);
    return ids;
  }
}
