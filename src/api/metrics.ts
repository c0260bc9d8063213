import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Config } from '../foundation/config/config';
import type { Database } from '../foundation/db/database';

/** Metrics for operators: how the API answers, and how much work waits for a person. */
const WAITING: Record<string, string> = {
  payments_unknown: 'SELECT count(*) AS n FROM payments WHERE unknown_since IS NOT NULL',
  payments_for_review: 'SELECT count(*) AS n FROM payments WHERE review_since IS NOT NULL',
  refunds_pending: "SELECT count(*) AS n FROM refunds WHERE status = 'pending'",
  callbacks_undelivered: "SELECT count(*) AS n FROM callback_inbox WHERE state = 'stored'",
  unmatched_transfers_for_review: 'SELECT count(*) AS n FROM unmatched_transfers WHERE review_since IS NOT NULL',
  orders_for_review: 'SELECT count(*) AS n FROM orders WHERE review_since IS NOT NULL',
  payouts_for_review: 'SELECT count(*) AS n FROM payouts WHERE review_since IS NOT NULL',
  callbacks_unmatched: "SELECT count(*) AS n FROM callback_inbox WHERE state = 'unmatched'",
  audit_lines_unsealed: 'SELECT count(*) AS n FROM audit_unsealed',
};

/** Where the audit log is copied to another machine. */
const NOT_COPIED =
  'SELECT coalesce(max(seal), 0) - (SELECT coalesce(max(through_seal), 0) FROM audit_exports) AS n FROM audit_seals';

/** Counts the requests of `server` and serves `GET /metrics` (Prometheus text format) on METRICS_PORT. */
export function serveMetrics(config: Config, database: Database, server: Server): Promise<Server> {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'tillway_' });
  const durations = new Histogram({
    name: 'tillway_http_request_seconds',
    help: 'Duration of API requests',
    labelNames: ['method', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const gauges = { ...WAITING, ...(config.auditExport && { audit_seals_not_copied: NOT_COPIED }) };
  for (const [name, sql] of Object.entries(gauges))
    new Gauge({
      name: `tillway_${name}`,
      help: name.replaceAll('_', ' '),
      registers: [registry],
      async collect() {
        const { rows } = await database.ops.raw(sql);
        this.set(Number(rows[0].n));
      },
    });
  server.on('request', (request, response) => {
    const startedAt = performance.now();
    response.once('finish', () =>
      durations.observe(
        { method: request.method ?? '', status: String(response.statusCode) },
        (performance.now() - startedAt) / 1000,
      ),
    );
  });
  const metrics = createServer(async (request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end();
    try {
      response.setHeader('content-type', registry.contentType).end(await registry.metrics());
    } catch {
      response.writeHead(503).end();
    }
  });
  return new Promise((resolve, reject) => {
    metrics.once('error', reject);
    metrics.listen(config.ports.metrics, config.host, () => resolve(metrics));
  });
}
