import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { type Database, openDatabase } from '../../../../src/foundation/db/database';
import { checkLogins, createLogins } from '../../../../src/foundation/db/logins';
import { writeCatalogue } from '../../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../../src/people/identity/callback-secrets';
import { type SeededTenant, seedSandbox } from '../../../../src/sandbox/seed/tenants';
import { createTestDatabase } from '../../../setup/environment';

/** What a statement can do that was injected or is wrong: the rights of its login, and nothing beyond. */

const ROLES = ['tillway_app', 'tillway_system', 'tillway_ops'] as const;
const OTHERS = [...ROLES, 'tillway_shared', 'postgres', 'pg_read_all_data'];
const PERMISSION_DENIED = '42501';

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let seeded: SeededTenant & { other: SeededTenant };
const clients = {} as Record<(typeof ROLES)[number], Client>;

beforeAll(async () => {
  place = await createTestDatabase('logins');
  database = openDatabase(place.logins, 2);
  await writeCatalogue(database.system);
  seeded = await seedSandbox(database.system, new CallbackSecrets(`k1:${randomBytes(32).toString('base64')}`));
  const { url, systemUrl, opsUrl } = place.logins;
  for (const [role, login] of [
    ['tillway_app', url],
    ['tillway_system', systemUrl],
    ['tillway_ops', opsUrl],
  ] as const) {
    clients[role] = new Client({ connectionString: login });
    await clients[role].connect();
  }
});
afterAll(async () => {
  await Promise.all(Object.values(clients).map((client) => client.end()));
  await database?.close();
  await place?.drop();
});

/** The error code of Postgres; undefined when the statement succeeds. */
const refusal = (client: Client, statement: string) =>
  client.query(statement).then(
    () => undefined,
    (error: { code: string }) => error.code,
  );

describe.each(ROLES)('the login %s', (role) => {
  const roleNow = async () => (await clients[role].query('SELECT session_user, current_user')).rows[0];

  test.each(
    OTHERS.filter((other) => other !== role).flatMap((other) => [
      `SET ROLE ${other}`,
      `SET LOCAL ROLE ${other}`,
      `SET SESSION AUTHORIZATION ${other}`,
      `SELECT set_config('role', '${other}', false)`,
      `GRANT ${other} TO ${role}`,
    ]),
  )('may not: %s', async (statement) => {
    expect(await refusal(clients[role], statement)).toBe(PERMISSION_DENIED);
    expect(await roleNow()).toEqual({ session_user: role, current_user: role });
  });

  test.each(['RESET ROLE', 'SET ROLE NONE', 'RESET SESSION AUTHORIZATION', 'RESET ALL', 'DISCARD ALL'])(
    'is the same after: %s',
    async (statement) => {
      await clients[role].query(statement);
      expect(await roleNow()).toEqual({ session_user: role, current_user: role });
    },
  );

  const forbidden = {
    tillway_app: [
      'SELECT * FROM clients',
      'SELECT * FROM idempotency_keys',
      'UPDATE ledger_transfers SET cause = cause',
    ],
    tillway_system: ['SELECT * FROM routing_rules', 'DELETE FROM payments', 'UPDATE audit_log SET actor = actor'],
    tillway_ops: ['SELECT * FROM vault_cards', 'SELECT * FROM users', 'UPDATE payments SET status = status'],
  };
  test.each([
    ...forbidden[role],
    'CREATE TABLE loot (id text)',
    'ALTER TABLE payments DISABLE ROW LEVEL SECURITY',
    'DROP POLICY payments_tenant ON payments',
    'CREATE ROLE another LOGIN',
    `ALTER ROLE ${role} BYPASSRLS`,
    'SELECT rolpassword FROM pg_authid',
  ])('may not: %s, whatever it resets before', async (statement) => {
    expect(await refusal(clients[role], `RESET ROLE; RESET SESSION AUTHORIZATION; ${statement}`)).toBe(
      PERMISSION_DENIED,
    );
  });

  test('brings the limit of a statement with it', async () => {
    expect((await clients[role].query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '15s' }]);
  });
});

describe('the application', () => {
  /** Every table of a tenant that the login may read. */
  async function tables(): Promise<string[]> {
    const { rows } = await clients.tillway_app.query(
      `SELECT c.relname AS table_name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v') AND a.attname = 'tenant_id'
          AND has_table_privilege(c.oid, 'SELECT')`,
    );
    return rows.map(({ table_name }) => table_name);
  }

  const tenantsSeen = async (tenantId: string | undefined, table: string, column = 'tenant_id') => {
    const client = clients.tillway_app;
    await client.query('BEGIN');
    if (tenantId) await client.query("SELECT set_config('tillway.tenant', $1, true)", [tenantId]);
    const { rows } = await client.query(`SELECT DISTINCT ${column} AS tenant FROM ${table}`);
    await client.query('COMMIT');
    return rows.map(({ tenant }) => tenant);
  };

  test('sees one tenant at a time, and none before one is set', async () => {
    const { tenantId, other } = seeded;
    expect((await tables()).length).toBeGreaterThan(30);
    for (const table of await tables()) {
      expect([table, await tenantsSeen(undefined, table)]).toEqual([table, []]);
      const foreign = (await tenantsSeen(tenantId, table)).filter((tenant) => tenant !== tenantId);
      expect([table, foreign]).toEqual([table, []]);
    }
    for (const tenant of [tenantId, other.tenantId]) {
      expect(await tenantsSeen(tenant, 'tenants', 'id')).toEqual([tenant]);
      expect(await tenantsSeen(tenant, 'organizations')).toEqual([tenant]);
    }
    expect(await tenantsSeen(undefined, 'tenants', 'id')).toEqual([]);
  });

  test('is not shown more by switching row-level security off', async () => {
    const { rows } = await clients.tillway_system.query('SELECT count(*)::int AS tenants FROM tenants');
    // The two of the sandbox, and the platform itself.
    expect(rows).toEqual([{ tenants: 3 }]);
    expect(await refusal(clients.tillway_app, 'SET row_security = off; SELECT * FROM tenants')).toBe(PERMISSION_DENIED);
    await clients.tillway_app.query('RESET row_security');
  });

  test('writes nothing for another tenant', async () => {
    const insert = database.tenant(seeded.tenantId, (trx) =>
      trx('audit_log').insert({ tenant_id: seeded.other.tenantId, actor: 'a', action: 'b', result: 'c' }),
    );
    await expect(insert).rejects.toMatchObject({ code: PERMISSION_DENIED });
  });
});

test('logins with one role each pass the check at the start', async () => {
  await expect(checkLogins(database)).resolves.toBeUndefined();
});

test.each<[string, () => { url?: string; systemUrl?: string; opsUrl?: string }, RegExp]>([
  ['a superuser', () => ({ url: place.adminUrl }), /^DATABASE_URL .* postgres has more rights than an ordinary login/],
  ['a member of several roles', () => ({ opsUrl: place.url }), /^DATABASE_OPS_URL .* is a member of another role/],
  ['another role', () => ({ systemUrl: place.logins.url }), /^DATABASE_SYSTEM_URL .* tillway_app does not have them/],
])('the check at the start refuses %s', async (_, given, reason) => {
  const wide = openDatabase({ ...place.logins, ...given() }, 2);
  try {
    await expect(checkLogins(wide)).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(reason),
    });
  } finally {
    await wide.close();
  }
});

test('only the roles themselves are made into logins', async () => {
  const systemUrl = place.logins.systemUrl.replace('tillway_system', 'somebody');
  await expect(createLogins(place.adminUrl, { ...place.logins, systemUrl })).rejects.toMatchObject({
    name: 'ConfigError',
    message: expect.stringMatching(
      /^the login of DATABASE_SYSTEM_URL does not work \(.*\), and only tillway_system is/,
    ),
  });
});

test('with one login for all, every connection steps down', async () => {
  const shared = openDatabase({ url: place.url }, 2);
  try {
    for (const [pool, role] of [
      [shared.app, 'tillway_app'],
      [shared.system, 'tillway_system'],
      [shared.ops, 'tillway_ops'],
    ] as const)
      expect((await pool.raw('SELECT session_user, current_user')).rows).toEqual([
        { session_user: 'tillway_shared', current_user: role },
      ]);
  } finally {
    await shared.close();
  }
});
