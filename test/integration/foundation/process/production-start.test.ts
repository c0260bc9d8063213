import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Client } from 'pg';
import { loadServiceConfig } from '../../../../src/foundation/process/service-config';
import { createTestDatabase } from '../../../setup/environment';
import { freePorts } from '../../../setup/ports';
import { productionEnv } from '../../../setup/production';
import { projectRoot } from '../../../setup/project';

/** What API and workers refuse in production, as the processes themselves say it, before a real database. */

const PROGRAMS = { api: 'dist/src/api/main.js', worker: 'dist/workers/main.js' };
type Program = keyof typeof PROGRAMS;
const PASSWORD = 'for-tests-only';
const WIDE = {
  start_bypasses: 'BYPASSRLS',
  start_owns: '',
  start_creates: '',
};

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let behind: Awaited<ReturnType<typeof createTestDatabase>>;
let good: NodeJS.ProcessEnv;

beforeAll(async () => {
  place = await createTestDatabase('start');
  behind = await createTestDatabase('behind');
  const [engine, port, metrics] = (await freePorts(3)) as [number, number, number];
  const { url, systemUrl, opsUrl } = place.logins;
  good = {
    ...productionEnv(),
    // Nobody listens there: a start that nothing is wrong with ends because of it, and of nothing else.
    TEMPORAL_ADDRESS: `127.0.0.1:${engine}`,
    TEMPORAL_TLS_CERT: '',
    TEMPORAL_TLS_KEY: '',
    DATABASE_URL: url,
    DATABASE_SYSTEM_URL: systemUrl,
    DATABASE_OPS_URL: opsUrl,
    PORT: String(port),
    METRICS_PORT: String(metrics),
  };
  await asOwner(place.adminUrl, async (owner) => {
    for (const [name, rights] of Object.entries(WIDE)) {
      await owner.query(`CREATE ROLE ${name} LOGIN PASSWORD '${PASSWORD}' ${rights}`);
      await owner.query(`GRANT tillway_app, tillway_system, tillway_ops TO ${name}`);
    }
    await owner.query('CREATE TABLE of_start_owns (id text)');
    await owner.query('ALTER TABLE of_start_owns OWNER TO start_owns');
    await owner.query('GRANT CREATE ON SCHEMA public TO start_creates');
  });
  await asOwner(behind.adminUrl, (owner) =>
    owner.query('DELETE FROM knex_migrations WHERE id = (SELECT max(id) FROM knex_migrations)'),
  );
});
afterAll(async () => {
  await place?.drop();
  await behind?.drop();
  if (!place) return;
  await asOwner(withDatabase(place.adminUrl, 'postgres'), async (owner) => {
    for (const name of Object.keys(WIDE)) await owner.query(`DROP ROLE IF EXISTS ${name}`);
  });
});

async function asOwner(url: string, work: (owner: Client) => Promise<unknown>): Promise<void> {
  const owner = new Client({ connectionString: url });
  await owner.connect();
  await work(owner).finally(() => owner.end());
}

const withDatabase = (url: string, name: string) => Object.assign(new URL(url), { pathname: `/${name}` }).toString();

const as = (name: string) => Object.assign(new URL(place.url), { username: name, password: PASSWORD }).toString();

/** One login for all roles. */
const shared = (url: string) => ({ DATABASE_URL: url, DATABASE_SYSTEM_URL: undefined, DATABASE_OPS_URL: undefined });

/** Starts the program until it ends by itself. Answers its exit code and the lines of its refusal. */
function start(program: Program, changes: NodeJS.ProcessEnv = {}): Promise<{ code: number | null; lines: string[] }> {
  const child = spawn(process.execPath, [join(projectRoot, PROGRAMS[program])], {
    env: { PATH: process.env.PATH, ...good, ...changes },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, lines: linesOf(said, program) }));
  });
}

/** What it says last; warnings of Node and of libraries stand before. */
const linesOf = (said: string, program: Program) => said.split(`tillway-${program}: `).at(-1)!.trim().split('\n');

test.each(Object.keys(PROGRAMS) as Program[])(
  '%s says everything that is wrong at once, then ends',
  async (program) => {
    const { code, lines } = await start(program, {
      DATABASE_ADMIN_URL: place.adminUrl,
      DATABASE_OPS_URL: place.adminUrl,
      VAULT_HMAC_KEY: 'c2hvcnQ=',
      TRUSTED_PROXIES: '',
    });
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(/^VAULT_HMAC_KEY must be/),
      expect.stringMatching(/^TLS_CERT and TLS_KEY, or TRUSTED_PROXIES, are required/),
      expect.stringMatching(/^DATABASE_ADMIN_URL is set, but only the job `prepare`/),
      expect.stringMatching(/^DATABASE_OPS_URL logs in as postgres, who has more rights than an ordinary login: /),
      expect.stringMatching(/^DATABASE_OPS_URL logs in as postgres, who is a member of another role: /),
      expect.stringMatching(/^DATABASE_OPS_URL logs in as postgres, who may create tables in the schema: /),
    ]);
    const password = new URL(place.adminUrl).password;
    expect(lines.join('\n')).not.toContain(password);
  },
);

test.each<[string, () => NodeJS.ProcessEnv, RegExp]>([
  [
    'a login that row-level security does not bind',
    () => shared(as('start_bypasses')),
    /^DATABASE_URL logs in as start_bypasses, who has more rights than an ordinary login: use an ordinary login/,
  ],
  ['the owner of a table', () => shared(as('start_owns')), /^DATABASE_URL logs in as start_owns, who owns something: /],
  [
    'a login that may make tables',
    () => shared(as('start_creates')),
    /^DATABASE_URL logs in as start_creates, who may create tables in the schema: /,
  ],
  [
    "a login with another role's rights",
    () => ({ DATABASE_SYSTEM_URL: place.logins.url }),
    /^DATABASE_SYSTEM_URL logs in as tillway_app, who does not have them: give it the rights of tillway_system/,
  ],
  [
    'a direct login that is wider than the one it stands for',
    () => ({ DATABASE_DIRECT_URL: as('start_creates') }),
    /^DATABASE_DIRECT_URL logs in as start_creates, who is a member of another role: /,
  ],
  [
    'a password that is wrong',
    () => ({ DATABASE_URL: as('nobody_knows') }),
    /^DATABASE_URL cannot be used \(.*nobody_knows.*\): correct it/,
  ],
  [
    'a schema that is behind',
    () => ({
      DATABASE_URL: behind.logins.url,
      DATABASE_SYSTEM_URL: behind.logins.systemUrl,
      DATABASE_OPS_URL: behind.logins.opsUrl,
    }),
    /^DATABASE_URL leads to a schema on which 1 of its migrations have not run, such as \d{14}_\w+: run the job `prepare`/,
  ],
  [
    'a schema that is behind, by one login for all',
    () => shared(behind.url),
    /^DATABASE_URL leads to a schema on which 1 of its migrations have not run/,
  ],
  [
    'an empty database',
    () => shared(withDatabase(place.url, 'postgres')),
    /^DATABASE_URL leads to a schema on which migrations have not run/,
  ],
])('refused: %s', async (_, changes, line) => {
  const refusal = loadServiceConfig({ ...good, ...changes() });
  await expect(refusal).rejects.toMatchObject({ name: 'ConfigError', message: expect.stringMatching(line) });
});

test('nothing is wrong with one login for all that is narrow', async () => {
  await expect(loadServiceConfig({ ...good, ...shared(place.url) })).resolves.toMatchObject({ sandbox: false });
});

test('a start that nothing is wrong with goes on to the engine', async () => {
  const { code, lines } = await start('api');
  expect(code).toBe(1);
  expect(lines.join('\n')).toMatch(/TransportError|connect|Connection/i);
  expect(lines.join('\n')).not.toMatch(/^[A-Z_]{4,} /m);
});
