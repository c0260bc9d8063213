import knexFactory, { type Knex } from 'knex';
import { types } from 'pg';

// Money and ids are exact: int8 becomes bigint, never a float.
types.setTypeParser(types.builtins.INT8, BigInt);

const STATEMENT_MS = 15_000;

export type Role = 'tillway_app' | 'tillway_system' | 'tillway_ops';

/**
 * The database in three roles. Whatever the login role may do, every pooled connection steps down to one of these,
 * so a superuser in DATABASE_URL does not switch row-level security off.
 */
export interface Database {
  /** Tenant-bound: sees nothing until a tenant is set for the transaction. Use through `tenant`. */
  readonly app: Knex;
  /** Callback inbox, settlement, sign-in, idempotency: crosses tenants, narrow in what it may do. */
  readonly system: Knex;
  /** Read-only across tenants. */
  readonly ops: Knex;
  /** One transaction as one tenant. Rejects when COMMIT fails. */
  tenant<T>(tenantId: string, work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

function pool(url: string, role: Role, size: number, name: string): Knex {
  return knexFactory({
    client: 'pg',
    // An error's message must not quote the values of its statement.
    compileSqlOnError: false,
    connection: {
      connectionString: url,
      application_name: name,
      statement_timeout: STATEMENT_MS,
      query_timeout: STATEMENT_MS,
      keepAlive: true,
    },
    acquireConnectionTimeout: 1_500,
    pool: {
      min: 0,
      max: size,
      afterCreate(
        connection: { query(sql: string, done: (error?: Error) => void): void },
        done: (error?: Error) => void,
      ) {
        connection.query(`SET ROLE ${role}`, done);
      },
    },
  });
}

/** Opens the pools. Nothing connects until first use. `size` bounds the application pool; the others get half. */
export function openDatabase(url: string, size: number, name = 'tillway'): Database {
  const app = pool(url, 'tillway_app', size, name);
  const system = pool(url, 'tillway_system', Math.max(2, size >> 1), name);
  const ops = pool(url, 'tillway_ops', 4, name);
  return {
    app,
    system,
    ops,
    tenant: (tenantId, work) =>
      app.transaction(async (trx) => {
        await trx.raw("SELECT set_config('tillway.tenant', ?, true)", [tenantId]);
        return work(trx);
      }),
    async close() {
      await Promise.all([app.destroy(), system.destroy(), ops.destroy()]);
    },
  };
}

/** True for a violation of the named constraint (Postgres class 23). */
export function violates(error: unknown, constraint: string): boolean {
  return (error as { constraint?: string } | null)?.constraint === constraint;
}
