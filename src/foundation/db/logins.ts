import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { ConfigError } from '../config/config';
import { type Database, type DatabaseUrls, type Role, STATEMENT_MS } from './database';

const CONNECT_TIMEOUT_MS = 5_000;

/** The setting that names each login. */
export const SETTINGS = {
  tillway_app: 'DATABASE_URL',
  tillway_system: 'DATABASE_SYSTEM_URL',
  tillway_ops: 'DATABASE_OPS_URL',
} as const satisfies Record<Role, string>;

/** What to say at the start of an installation that gives `DATABASE_URL` only. */
export const SHARED_LOGIN =
  'DATABASE_SYSTEM_URL and DATABASE_OPS_URL are not set: all work shares the login of DATABASE_URL, where one wrong ' +
  'statement can change its role. Set them to logins of their own: docs/operations.md#database-logins';

/**
 * Makes the logins that the URLs name and that do not work yet. Each login is the role itself: grants and policies name
 * it already, it is a member of nothing, and what is set for it holds from its first statement on. A login that works
 * is left as it is, whoever made it. Idempotent.
 */
export async function createLogins(
  adminUrl: string,
  { url, systemUrl, opsUrl }: Required<DatabaseUrls>,
): Promise<void> {
  // Not through knex, whose errors quote the statement.
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await createLogin(admin, 'tillway_app', url);
    await createLogin(admin, 'tillway_system', systemUrl);
    await createLogin(admin, 'tillway_ops', opsUrl);
  } finally {
    await admin.end();
  }
}

async function createLogin(admin: Client, role: Role, url: string): Promise<void> {
  const refusal = await tryLogin(url);
  if (!refusal) return;
  const { username, password } = new URL(url);
  if (decodeURIComponent(username) !== role)
    throw new ConfigError(`the login of ${SETTINGS[role]} does not work (${refusal}), and only ${role} is made here`);
  const { rowCount } = await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  const name = escapeIdentifier(role);
  try {
    if (!rowCount) await admin.query(`CREATE ROLE ${name}`);
    await admin.query(`ALTER ROLE ${name} LOGIN PASSWORD ${escapeLiteral(decodeURIComponent(password))}`);
    await admin.query(`ALTER ROLE ${name} SET statement_timeout = ${STATEMENT_MS}`);
  } catch (error) {
    const reason = (error as Error).message;
    throw new ConfigError(`the login of ${SETTINGS[role]} does not work (${refusal}), and cannot be made: ${reason}`);
  }
}

/** Why the login does not work; undefined when it does. */
async function tryLogin(url: string): Promise<string | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Throws ConfigError when a login has more than the rights of its role. Nothing steps down any more: a superuser here
 * would switch row-level security off, and a member of two roles could go from one to the other.
 */
export async function checkLogins({ app, system, ops }: Database): Promise<void> {
  const pools = { tillway_app: app, tillway_system: system, tillway_ops: ops };
  for (const role of Object.keys(pools) as Role[]) {
    const { name, excess } = await excessOf((sql) => pools[role].raw(sql), role);
    if (excess.length > 0)
      throw new ConfigError(
        `${SETTINGS[role]} must have the rights of ${role} and no others, but ${name} ${excess[0]}: ` +
          'see docs/operations.md#database-logins',
      );
  }
}

/**
 * What the login of a connection may beyond `role`, in words that follow its name. Without `role`, the login is shared
 * and steps into the three roles: then it may be a member of those, and of no other.
 */
export async function excessOf(
  query: (sql: string) => PromiseLike<{ rows: Record<string, unknown>[] }>,
  role: Role | undefined,
): Promise<{ name: string; excess: string[] }> {
  const roles = role ? [role] : (Object.keys(SETTINGS) as Role[]);
  const { rows } = await query(excessQuery(roles, role ? 'USAGE' : 'MEMBER'));
  const { login, ...faults } = rows[0] as { login: string } & Record<string, boolean>;
  return { name: login, excess: Object.keys(faults).filter((fault) => faults[fault]) };
}

const excessQuery = (roles: readonly Role[], use: 'USAGE' | 'MEMBER') => `
  SELECT rolname AS login,
    NOT (${roles.map((role) => `pg_has_role(oid, '${role}', '${use}')`).join(' AND ')}) AS "does not have them",
    rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication AS "has more rights than an ordinary login",
    EXISTS (SELECT FROM pg_roles other WHERE other.rolname <> ALL (ARRAY[login.rolname, ${roles.map((role) => `'${role}'`).join(', ')}]::name[])
      AND pg_has_role(login.oid, other.oid, 'MEMBER')) AS "is a member of another role",
    has_schema_privilege(login.oid, 'public', 'CREATE') AS "may create tables in the schema",
    EXISTS (SELECT FROM pg_shdepend WHERE refclassid = 'pg_authid'::regclass AND refobjid = login.oid
      AND deptype = 'o') AS "owns something"
  FROM pg_roles login WHERE rolname = session_user`;
