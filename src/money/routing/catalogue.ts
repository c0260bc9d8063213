import { LRUCache } from 'lru-cache';
import type { PaymentKind, ProcessorId } from '../../domain/connector';
import type { Database } from '../../foundation/db/database';

export interface Method {
  id: number;
  kind: PaymentKind;
  brand: string;
  name: string;
  processor: ProcessorId;
  countries: string[];
  /** Empty: every currency. */
  currencies: string[];
  enabled: boolean;
}

const CACHED_MS = 5_000;

/**
 * The method catalogue. In the sandbox all of it is enabled that has a connector; in production what the tenant has, and
 * for an organization nothing before it is live.
 */
export class Catalogue {
  private readonly cache = new LRUCache<string, Map<number, Method>>({ max: 1_000, ttl: CACHED_MS });

  private readonly live = new LRUCache<string, boolean>({ max: 10_000, ttl: CACHED_MS });

  constructor(
    private readonly database: Database,
    private readonly options: { sandbox: boolean; hasConnector: (processor: ProcessorId) => boolean },
  ) {}

  async find(tenantId: string, id: number, organizationId?: string): Promise<Method | undefined> {
    const method = (await this.load(tenantId)).get(id);
    if (!method || (await this.isOpenTo(tenantId, organizationId))) return method;
    return { ...method, enabled: false };
  }

  async list(tenantId: string, organizationId?: string): Promise<Method[]> {
    const methods = [...(await this.load(tenantId)).values()];
    if (await this.isOpenTo(tenantId, organizationId)) return methods;
    return methods.map((method) => ({ ...method, enabled: false }));
  }

  /** Whether an organization may take money here; without one, the question is about the tenant. */
  private async isOpenTo(tenantId: string, organizationId: string | undefined): Promise<boolean> {
    if (this.options.sandbox || organizationId === undefined) return true;
    const known = this.live.get(organizationId);
    if (known !== undefined) return known;
    const row = await this.database.tenant(tenantId, (trx) =>
      trx('organizations').where({ id: organizationId }).first('live'),
    );
    const isLive: boolean = row?.live ?? false;
    this.live.set(organizationId, isLive);
    return isLive;
  }

  private async load(tenantId: string): Promise<Map<number, Method>> {
    const cached = this.cache.get(tenantId);
    if (cached) return cached;
    const rows = await this.database
      .app('payment_methods_catalogue as m')
      .leftJoin('production_methods as p', (join) =>
        join.on('p.method_id', 'm.id').andOn('p.tenant_id', this.database.app.raw('?', [tenantId])),
      )
      .orderBy('m.id')
      .select('m.*', this.database.app.raw('p.method_id IS NOT NULL AS live'));
    const methods = new Map<number, Method>(
      rows.map((row) => [
        row.id,
        {
          id: row.id,
          kind: row.kind,
          brand: row.brand,
          name: row.name,
          processor: row.processor,
          countries: row.countries,
          currencies: row.currencies,
          enabled: (this.options.sandbox ? row.sandbox : row.live) && this.options.hasConnector(row.processor),
        },
      ]),
    );
    this.cache.set(tenantId, methods);
    return methods;
  }
}
