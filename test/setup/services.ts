import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { environment, loadConfig } from '../../src/foundation/config/config.js';
import { migrate } from '../../src/foundation/db/migrate.js';
import { prepareHome } from '../../src/sandbox/runtime/home.js';
import { ManagedProcess } from '../../src/sandbox/runtime/managed-process.js';
import {
  adminUrl,
  awaitPostgres,
  databaseUrl,
  ensureDatabase,
  initialiseCluster,
  locateCluster,
  loginUrls,
  postgresCommand,
} from '../../src/sandbox/runtime/postgres.js';
import { awaitTemporal, temporalCommand } from '../../src/sandbox/runtime/temporal.js';
import { findTemporal } from '../../src/sandbox/runtime/temporal-binary.js';
import { freePorts } from './ports.js';

const PASSWORD = 'for-tests-only';
const TEMPLATE = 'tillway_template';
/** The login of an installation that has no others. */
const SHARED = 'tillway_shared';
const PASSWORDS = {
  postgresRuntimePassword: PASSWORD,
  postgresSystemPassword: PASSWORD,
  postgresOpsPassword: PASSWORD,
};

export interface Services {
  /** What the tests find the services by, for process.env. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

const say = (line: string) => console.log(line);

/** The engine's executable, from wherever it is to be had. Throws when it is nowhere. */
export function findEngine(): Promise<string> {
  const { cache, temporal } = loadConfig();
  return findTemporal({ binary: temporal.binary, cache, env: environment(), say });
}

/** An engine for one suite that starts a process of the platform by itself. */
export async function startEngine(): Promise<{ address: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'tillway-engine-'));
  const home = prepareHome(folder);
  const [port] = (await freePorts(1)) as [number];
  const name = 'temporal';
  const command = temporalCommand({ binary: await findEngine(), port, namespaces: ['default'], env: environment() });
  const engine = new ManagedProcess(
    { name, logFile: home.logFile(name), pidFile: home.pidFile(name), ...command },
    say,
  );
  engine.start();
  const address = `127.0.0.1:${port}`;
  const stop = async () => {
    await engine.stop(5_000);
    rmSync(folder, { recursive: true, force: true });
  };
  await awaitTemporal(address, 'default', () => engine.deaths < 5);
  return { address, stop };
}

/** One Postgres with a migrated database for each jest worker. */
export async function startPostgres(workers: number): Promise<Services> {
  const folder = mkdtempSync(join(tmpdir(), 'tillway-test-'));
  chmodSync(folder, 0o711);
  const home = prepareHome(folder);
  let postgres: ManagedProcess | undefined;
  const stop = async () => {
    await postgres?.stop(5_000);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [port] = (await freePorts(1)) as [number];
    const cluster = locateCluster(folder, 'test', say);
    initialiseCluster(cluster, PASSWORD);
    const name = 'postgres';
    postgres = new ManagedProcess(
      {
        name,
        logFile: home.logFile(name),
        pidFile: home.pidFile(name),
        // What a test writes need not survive the machine.
        ...postgresCommand(cluster, port, { fsync: 'off', full_page_writes: 'off' }),
      },
      say,
    );
    postgres.start();
    const admin = adminUrl(PASSWORD, port);
    await awaitPostgres(admin, () => postgres!.deaths < 5);
    await ensureDatabase(admin, TEMPLATE);
    await createSharedLogin(admin);
    const template = adminUrl(PASSWORD, port, TEMPLATE);
    await migrate(template, { url: databaseUrl(SHARED, PASSWORD, port, TEMPLATE) });
    await migrate(template, loginUrls(PASSWORDS, port, TEMPLATE));
    await cloneTemplate(admin, workers);
    const { url, systemUrl, opsUrl } = loginUrls(PASSWORDS, port, 'postgres');
    const env = {
      TEST_DATABASE_ADMIN_URL: admin,
      TEST_DATABASE_APP_URL: url,
      TEST_DATABASE_SYSTEM_URL: systemUrl,
      TEST_DATABASE_OPS_URL: opsUrl,
      TEST_DATABASE_URL: databaseUrl(SHARED, PASSWORD, port, 'postgres'),
    };
    return { env, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function createSharedLogin(admin: string): Promise<void> {
  const client = new Client({ connectionString: admin });
  await client.connect();
  await client.query(`CREATE ROLE ${SHARED} LOGIN PASSWORD '${PASSWORD}'`);
  await client.end();
}

async function cloneTemplate(admin: string, workers: number): Promise<void> {
  const client = new Client({ connectionString: admin });
  await client.connect();
  for (let id = 1; id <= workers; id += 1) await client.query(`CREATE DATABASE tillway_w${id} TEMPLATE ${TEMPLATE}`);
  await client.end();
}
