import knexFactory, { type Knex } from 'knex';
import { type Client, types } from 'pg';
import { limitAnswers } from './answer-limit';
import { NamedStatements } from './named-statements';

// Money and ids are exact: int8 becomes bigint, never a float.
types.setTypeParser(types.builtins.INT8, BigInt);

export const STATEMENT_MS = 15_000;

export type Role = 'tillway_app' | 'tillway_system' | 'tillway_ops';

/**
 * Where each pool logs in. With `systemUrl` and `opsUrl`, every login has the rights of one role and no way to another
 * (logins.ts). Without them, all connections share the login of `url` and step down by SET ROLE.
 */
export interface DatabaseUrls {
  url: string;
  systemUrl?: string;
  opsUrl?: string;
}

/** The database in three roles. */
export interface Database {
  /** Tenant-bound: sees nothing until a tenant is set for the transaction. Use through `tenant`. */
  readonly app: Knex;
  /** Callback inbox, settlement, sign-in, idempotency: crosses tenants, narrow in what it may do. */
  readonly system: Knex;
  /** Read-only across tenants. */
  readonly ops: Knex;
  /** Fixed statements that are sent often, outside transactions: each connection prepares them once. */
  readonly named: Readonly<Record<'app' | 'system', NamedStatements>>;
  /** One transaction as one tenant. Rejects when COMMIT fails. */
  tenant<T>(tenantId: string, work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface PoolBounds {
  size: number;
  acquireMs: number;
}

/** Who waits longer for a connection is told that the service is unavailable, and can try again. */
const ACQUIRE_MS = 1_500;

/** With `stepDownTo`, the login may be anybody: every connection takes that role before its first use. */
function pool(url: string, { size, acquireMs }: PoolBounds, name: string, stepDownTo?: Role): Knex {
  return knexFactory({
    client: 'pg',
    // An error's message must not quote the values of its statement.
    compileSqlOnError: false,
    connection: {
      connectionString: url,
      application_name: name,
      // A login of its own brings the limit with it (logins.ts): PgBouncer refuses it as a startup parameter.
      ...(stepDownTo && { statement_timeout: STATEMENT_MS }),
      keepAlive: true,
    },
    acquireConnectionTimeout: acquireMs,
    pool: {
      min: 0,
      max: size,
      afterCreate(connection: Client, done: (error?: Error) => void) {
        limitAnswers(connection, STATEMENT_MS);
        if (stepDownTo) connection.query(`SET ROLE ${stepDownTo}`, done);
        else done();
      },
    },
  });
}

/**
 * Opens the pools. Nothing connects until first use. `size` bounds the application pool; the others get half.
 * `acquireMs`: how long one waits for a connection. `directUrl`: the same database without the pooler before it, if there is one.
 */
export function openDatabase(
  { url, systemUrl, opsUrl, directUrl = url }: DatabaseUrls & { directUrl?: string },
  size: number,
  name = 'tillway',
  acquireMs = ACQUIRE_MS,
): Database {
  const stepDownTo = (role: Role) => (systemUrl && opsUrl ? undefined : role);
  const app = pool(url, { size, acquireMs }, name, stepDownTo('tillway_app'));
  const system = pool(
    systemUrl ?? url,
    { size: Math.max(2, size >> 1), acquireMs },
    name,
    stepDownTo('tillway_system'),
  );
  const ops = pool(opsUrl ?? url, { size: 4, acquireMs }, name, stepDownTo('tillway_ops'));
  const direct = directUrl === url;
  return {
    app,
    system,
    ops,
    named: { app: new NamedStatements(app, direct), system: new NamedStatements(system, direct) },
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
