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
  postgresCommand,
} from '../../src/sandbox/runtime/postgres.js';
import { awaitTemporal, temporalCommand } from '../../src/sandbox/runtime/temporal.js';
import { findTemporal } from '../../src/sandbox/runtime/temporal-binary.js';
import { freePorts } from './ports.js';

const PASSWORD = 'for-tests-only';
const TEMPLATE = 'tillway_template';
const ROLE = 'tillway';

export interface Services {
  /** What the tests find the services by, for process.env. */
  env: Record<string, string>;
  stop(): Promise<void>;
}

/** One Postgres with a migrated database for each jest worker, and one engine with a namespace for each. */
export async function startServices(workers: number): Promise<Services> {
  const folder = mkdtempSync(join(tmpdir(), 'tillway-test-'));
  chmodSync(folder, 0o711);
  const home = prepareHome(folder);
  const say = (line: string) => console.log(line);
  const running: ManagedProcess[] = [];
  const manage = (name: string, command: ReturnType<typeof postgresCommand> | ReturnType<typeof temporalCommand>) => {
    const process = new ManagedProcess(
      { name, logFile: home.logFile(name), pidFile: home.pidFile(name), ...command },
      say,
    );
    process.start();
    running.push(process);
    return process;
  };
  const stop = async () => {
    await Promise.all(running.map((process) => process.stop(5_000)));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [postgresPort, temporalPort] = (await freePorts(2)) as [number, number];
    const { cache, temporal } = loadConfig();
    const binary = await findTemporal({ binary: temporal.binary, cache, env: environment(), say });
    const ids = Array.from({ length: workers }, (_, n) => `w${n + 1}`);

    const namespaces = ['default', ...ids];
    const engine = manage('temporal', temporalCommand({ binary, port: temporalPort, namespaces, env: environment() }));
    const cluster = locateCluster(folder, 'test', say);
    initialiseCluster(cluster, PASSWORD);
    // What a test writes need not survive the machine.
    const database = manage(
      'postgres',
      postgresCommand(cluster, postgresPort, { fsync: 'off', full_page_writes: 'off' }),
    );

    const admin = adminUrl(PASSWORD, postgresPort);
    await awaitPostgres(admin, () => database.deaths < 5);
    await ensureDatabase(admin, TEMPLATE, ROLE, PASSWORD);
    await migrate(adminUrl(PASSWORD, postgresPort, TEMPLATE), ROLE);
    await cloneTemplate(admin, ids);
    const address = `127.0.0.1:${temporalPort}`;
    await awaitTemporal(address, ids[0] ?? 'default', () => engine.deaths < 5);
    return {
      env: {
        TEST_DATABASE_ADMIN_URL: admin,
        TEST_DATABASE_URL: databaseUrl(ROLE, PASSWORD, postgresPort, 'postgres'),
        TEST_TEMPORAL_ADDRESS: address,
        TEST_TEMPORAL_BINARY: binary,
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function cloneTemplate(admin: string, ids: string[]): Promise<void> {
  const client = new Client({ connectionString: admin });
  await client.connect();
  for (const id of ids) await client.query(`CREATE DATABASE tillway_${id} TEMPLATE ${TEMPLATE}`);
  await client.end();
}
