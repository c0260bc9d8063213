import type { Knex } from 'knex';
import { RateLimiterPostgres } from 'rate-limiter-flexible';

/** What counts, how often within `duration` seconds; `keyPrefix` keeps its counters apart from others'. */
interface Limit {
  keyPrefix: string;
  points: number;
  duration: number;
}

/** Counters in `sign_in_failures`. `system`: the pool of the system role. */
export function rateLimiter(system: Knex, limit: Limit): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: withoutNames(system),
    storeType: 'client',
    tableName: 'sign_in_failures',
    tableCreated: true,
    clearExpiredByTimeout: false,
    ...limit,
  });
}

/**
 * The library prepares its statements under names. A named statement belongs to a session of Postgres, and behind a
 * pooler in transaction mode the next statement meets another session.
 */
function withoutNames(system: Knex) {
  return {
    async query({ text, values }: { text: string; values: unknown[] }) {
      const connection = await system.client.acquireConnection();
      try {
        return await connection.query({ text, values });
      } finally {
        system.client.releaseConnection(connection);
      }
    },
  };
}
