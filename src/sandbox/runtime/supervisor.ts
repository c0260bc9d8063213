import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, fileOf, loadConfig } from '../../foundation/config/config.js';
import { createLogins, SHARED_LOGIN } from '../../foundation/db/logins.js';
import { endProcess, removePidFile, runningProcessOf } from '../../foundation/process/process-identity.js';
import { engineAccess } from '../../foundation/temporal/engine.js';
import { registerSearchAttributes } from '../../foundation/temporal/search-attributes.js';
import { welcome, writeCredentials } from './credentials.js';
import { type Home, type HomeLock, lockHome, prepareHome, readJsonFile } from './home.js';
import { ManagedProcess, type ProcessSpec, type Say } from './managed-process.js';
import { portsOf, refuseTakenPorts, runsSimulator } from './ports.js';
import {
  adminUrl,
  awaitPostgres,
  type Cluster,
  ensureDatabase,
  initialiseCluster,
  locateCluster,
  loginUrls,
  postgresCommand,
  stopLeftoverPostmaster,
} from './postgres.js';
import { askReadiness } from './readiness.js';
import { loadSecrets, type Secrets } from './secrets.js';
import { setup } from './setup.js';
import { awaitTemporal, temporalCommand } from './temporal.js';
import { findTemporal } from './temporal-binary.js';

const DATABASE = 'tillway';
const READY_WITHIN_MS = 180_000;
/** On top of SHUTDOWN_GRACE_MS, until everything is down. */
const CLOSING_MS = 10_000;
/** A child that ends this often before the platform was ever ready will not become well by itself. */
const DEATHS_BEFORE_READY = 8;
/** How long what runs in a child may take to finish when it is restarted; what it leaves, its successor finishes. */
const RESTART_GRACE_MS = 2_000;
/** Room for what a request makes: V8 copies what it still needs each time that this is full. The Dockerfile says it too. */
const API_OPTIONS = '--max-semi-space-size=64';

/** The processes that run our own code. */
export type ChildKind = 'api' | 'worker' | 'simulator';

/** Where the database is, as the children are told; the owner of the schema is for the set-up alone. */
interface DatabaseEnvironment extends NodeJS.ProcessEnv {
  DATABASE_ADMIN_URL: string;
}

/** Brings up all that the settings do not name, keeps it up, and takes it down in order. */
export class Supervisor {
  private readonly home: Home;
  private lock: HomeLock | undefined;
  private postgres: ManagedProcess | undefined;
  private temporal: ManagedProcess | undefined;
  private readonly children: Record<ChildKind, ManagedProcess[]> = { api: [], worker: [], simulator: [] };
  /** What the set-up is told. */
  private setUpEnvironment: NodeJS.ProcessEnv = {};
  private readonly stopping = new AbortController();

  constructor(
    private readonly config: Config,
    private readonly env: NodeJS.ProcessEnv,
    private readonly say: Say,
  ) {
    this.home = prepareHome(config.home);
  }

  /** Resolves once the platform answers; rejects when it will not, or when `stop` was called meanwhile. */
  async start(): Promise<void> {
    const beganAt = Date.now();
    this.lock = await lockHome(this.home, this.config.timers.shutdownGraceMs + CLOSING_MS, this.say);
    this.checkpoint();
    const secrets = loadSecrets(this.home, this.config.keyService.seals);
    const cluster = this.config.database.url ? undefined : locateCluster(this.home.path, secrets.homeId, this.say);
    await this.endLeftovers(cluster);
    await refuseTakenPorts(portsOf(this.config));
    this.checkpoint();

    const [database, temporalAddress] = await settle(this.startPostgres(cluster, secrets), this.startTemporal());
    const env = this.childEnvironment(secrets, database, temporalAddress);
    this.checkpoint();
    this.setUpEnvironment = { ...env, DATABASE_ADMIN_URL: database.DATABASE_ADMIN_URL };
    const config = loadConfig(this.setUpEnvironment);
    const { credentials } = await setup(config, readJsonFile(this.home.credentialsFile));
    const written = writeCredentials(this.home, config, credentials, cluster ? config.ports.postgres : null);

    this.checkpoint();
    this.startChildren(env);
    await this.awaitReady();
    this.say(welcome(config, this.home, written, (Date.now() - beganAt) / 1_000));
  }

  /** Whether it was asked to stop. */
  get isEnding(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Throws when the stop was asked for while the start was under way. */
  private checkpoint(): void {
    this.stopping.signal.throwIfAborted();
  }

  /** Ends what a killed supervisor has left: it holds our ports and our files. */
  private async endLeftovers(cluster?: Cluster): Promise<void> {
    const names = readdirSync(this.home.run)
      .filter((file) => file.endsWith('.pid'))
      .map((file) => file.slice(0, -'.pid'.length))
      .filter((name) => name !== 'tillway' && name !== 'postgres');
    await Promise.all(
      names.map(async (name) => {
        const pidFile = this.home.pidFile(name);
        const pid = runningProcessOf(pidFile);
        if (pid) {
          this.say(`${name} of an earlier start still runs (process ${pid}); ending it`);
          await endProcess(pid, [
            ['SIGTERM', 5_000],
            ['SIGKILL', 2_000],
          ]);
        }
        removePidFile(pidFile);
      }),
    );
    const postmaster = cluster && (await stopLeftoverPostmaster(cluster));
    if (postmaster) this.say(`postgres of an earlier start still ran (process ${postmaster}); it was stopped`);
  }

  private manage(name: string, command: Omit<ProcessSpec, 'name' | 'logFile' | 'pidFile'>): ManagedProcess {
    const process = new ManagedProcess(
      { name, logFile: this.home.logFile(name), pidFile: this.home.pidFile(name), ...command },
      this.say,
    );
    process.start();
    return process;
  }

  private async startPostgres(cluster: Cluster | undefined, secrets: Secrets): Promise<DatabaseEnvironment> {
    if (!cluster) {
      const { url, systemUrl, adminUrl: owner } = this.config.database;
      if (!owner) this.say('warning: DATABASE_ADMIN_URL is not set: migrations run as the role of DATABASE_URL');
      if (!systemUrl) this.say(`warning: ${SHARED_LOGIN}`);
      // The others are in our own environment.
      return { DATABASE_ADMIN_URL: owner ?? url! };
    }
    const port = this.config.ports.postgres;
    initialiseCluster(cluster, secrets.postgresAdminPassword);
    this.checkpoint();
    const postgres = this.manage('postgres', postgresCommand(cluster, port));
    this.postgres = postgres;
    const server = adminUrl(secrets.postgresAdminPassword, port);
    await awaitPostgres(server, () => this.isWell(postgres));
    await ensureDatabase(server, DATABASE);
    const urls = loginUrls(secrets, port, DATABASE);
    await createLogins(server, urls);
    return {
      DATABASE_URL: urls.url,
      DATABASE_SYSTEM_URL: urls.systemUrl,
      DATABASE_OPS_URL: urls.opsUrl,
      DATABASE_ADMIN_URL: adminUrl(secrets.postgresAdminPassword, port, DATABASE),
    };
  }

  private async startTemporal(): Promise<string> {
    const { address, namespace, binary } = this.config.temporal;
    const { ports, publicUrl, cache } = this.config;
    if (address) {
      await registerSearchAttributes(engineAccess(this.config), namespace).catch((error: Error) => {
        this.say(`warning: search attributes could not be registered on ${address}: ${error.message}`);
      });
      return address;
    }
    const path = await findTemporal({ binary, cache, env: this.env, say: this.say, signal: this.stopping.signal });
    this.checkpoint();
    const databaseFile = join(this.home.path, 'temporal', 'temporal.db');
    const codecUrl = `${publicUrl}/codec`;
    const command = temporalCommand({
      binary: path,
      port: ports.temporal,
      uiPort: ports.temporalUi,
      namespaces: [namespace],
      databaseFile,
      codecUrl,
      env: this.env,
    });
    const temporal = this.manage('temporal', command);
    this.temporal = temporal;
    const embedded = `127.0.0.1:${ports.temporal}`;
    await awaitTemporal(embedded, namespace, () => this.isWell(temporal));
    return embedded;
  }

  /** What the children are told: our own environment, and what we made up or started for them. */
  private childEnvironment(
    secrets: Secrets,
    database: DatabaseEnvironment,
    temporalAddress: string,
  ): NodeJS.ProcessEnv {
    const ours = {
      VAULT_KEYS: secrets.VAULT_KEYS,
      FINGERPRINT_KEYS: secrets.FINGERPRINT_KEYS,
      VAULT_HMAC_KEY: secrets.VAULT_HMAC_KEY,
      CODEC_KEYS: secrets.CODEC_KEYS,
      PROCESSOR_SECRETS: secrets.PROCESSOR_SECRETS,
      DEVICE_WALLET_KEYS: secrets.DEVICE_WALLET_KEYS,
      DEVICE_WALLET_ISSUER_KEYS: secrets.DEVICE_WALLET_ISSUER_KEYS,
    };
    const made = Object.entries(ours).filter(
      ([name, value]) => value !== undefined && this.config.sandbox && !this.env[fileOf(name)],
    );
    const env: NodeJS.ProcessEnv = {
      ...Object.fromEntries(made),
      ...this.env,
      TILLWAY_HOME: this.home.path,
      ...database,
      TEMPORAL_ADDRESS: temporalAddress,
    };
    // Only migrations act as the owner of the schema, and they run here.
    delete env.DATABASE_ADMIN_URL;
    delete env[fileOf('DATABASE_ADMIN_URL')];
    return env;
  }

  private startChildren(env: NodeJS.ProcessEnv): void {
    const { children } = this;
    const child = (name: string, entry: string, options = env) =>
      this.manage(name, { command: process.execPath, args: [compiled(entry)], env: options, channel: true });
    if (runsSimulator(this.config))
      children.simulator.push(child('tillway-simulator', 'src/sandbox/simulator/main.js'));
    for (let n = 1; n <= this.config.workers; n++)
      children.worker.push(child(n === 1 ? 'tillway-worker' : `tillway-worker-${n}`, 'workers/main.js'));
    const NODE_OPTIONS = `${API_OPTIONS} ${env.NODE_OPTIONS ?? ''}`;
    children.api.push(child('tillway-api', 'src/api/main.js', { ...env, NODE_OPTIONS }));
  }

  /**
   * Ends these and starts them anew on the code as it now is; engine, database and the others go on. Resolves once they
   * do their work. Rejects with the last lines of one that does not come up: it stays down.
   */
  async restart(kinds: readonly ChildKind[]): Promise<void> {
    const children = kinds.flatMap((kind) => this.children[kind]);
    const outcomes = await Promise.allSettled(
      children.map((child) => child.replace(RESTART_GRACE_MS, () => !this.isEnding)),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  /** Keeps a process in reserve for each of these, so that their next restart is quick. Costs memory. */
  prepareRestart(kinds: readonly ChildKind[]): void {
    if (!this.isEnding) for (const kind of kinds) for (const child of this.children[kind]) child.prepare();
  }

  /** Runs migrations, catalogue and seed as the code now has them. Rejects with what they said when they fail. */
  setUpAgain(): Promise<void> {
    const program = [compiled('src/sandbox/runtime/set-up-again.js')];
    return new Promise((resolve, reject) => {
      execFile(process.execPath, program, { env: this.setUpEnvironment }, (error, _said, wrong) =>
        error ? reject(new Error(`migrations and seed failed:\n${wrong || error.message}`)) : resolve(),
      );
    });
  }

  private isWell(process: ManagedProcess): boolean {
    this.checkpoint();
    if (process.deaths < DEATHS_BEFORE_READY) return true;
    throw new Error(`${process.name} does not stay up: ${process.lastWords()}`);
  }

  private async awaitReady(): Promise<void> {
    const children = Object.values(this.children).flat();
    let answer = { status: 0, body: '' };
    for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until; await sleep(100)) {
      for (const child of children) this.isWell(child);
      answer = await askReadiness(this.config);
      if (answer.status === 200) return;
    }
    throw new Error(`not ready after ${READY_WITHIN_MS / 1_000} s: /health/ready says ${answer.status} ${answer.body}`);
  }

  /**
   * Takes everything down: the API first (no new work), the workers when it is done or after 4 s, and after them what
   * they talk to: simulator, engine and database. Within SHUTDOWN_GRACE_MS + 10 s.
   */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('stopped while starting'));
    this.lock?.announceEnd();
    const graceMs = this.config.timers.shutdownGraceMs;
    const end = (kind: ChildKind, withinMs: number) =>
      Promise.all(this.children[kind].map((child) => child.stop(withinMs)));
    const api = end('api', graceMs + 4_000);
    await Promise.race([api, sleep(4_000, undefined, { ref: false })]);
    await Promise.all([api, end('worker', graceMs + 3_000)]);
    await Promise.all([end('simulator', 3_000), this.temporal?.stop(3_000), this.postgres?.stop(3_000)]);
    this.lock?.release();
  }
}

/** The path of a program by its place in dist/. */
function compiled(entry: string): string {
  return join(__dirname, '../../..', entry);
}

/** Both results; waits for both even when one fails, so that whatever the other started is known and can be stopped. */
async function settle<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}
