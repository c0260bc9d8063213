import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseUrls } from '../src/foundation/db/database';
import { runningProcessOf } from '../src/foundation/process/process-identity';
import type { Credentials } from '../src/sandbox/cli/sandbox';
import { adminUrl, loginUrls } from '../src/sandbox/runtime/postgres';

const READY_WITHIN_MS = 600_000;

/** A platform of the bench's own, started by the same program as `npm start`. */
export interface BenchPlatform {
  /** Its folder, with secrets and logs. */
  home: string;
  credentials: Credentials;
  temporalAddress: string;
  /** Where the metrics of the API are. */
  metricsUrl: string;
  /** The embedded database, as its owner. */
  adminUrl: string;
  databaseUrls: DatabaseUrls;
  /** The process of that name. Throws when it does not run. */
  pidOf(name: string): number;
  stop(): Promise<void>;
}

/** `keptHome`: the folder of a platform that outlives the run, made where it is not there. */
export async function startPlatform(env: NodeJS.ProcessEnv = {}, keptHome?: string): Promise<BenchPlatform> {
  const home = keptHome ?? mkdtempSync(join(tmpdir(), 'tillway-bench-'));
  const names = [
    'PORT',
    'AUTH_PORT',
    'SIMULATOR_PORT',
    'TEMPORAL_PORT',
    'TEMPORAL_UI_PORT',
    'POSTGRES_PORT',
    'METRICS_PORT',
    'MAILBOX_SMTP_PORT',
  ];
  const ports = Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, `${await freePort()}`] as const)),
  );
  const program = spawn(process.execPath, [join(__dirname, '../src/sandbox/runtime/main.js')], {
    env: {
      ...process.env,
      ...ports,
      TILLWAY_HOME: home,
      LOG_LEVEL: 'warn',
      API_RATE_LIMIT_PER_SECOND: '100000',
      API_ANONYMOUS_PER_SECOND: '100000',
      ...env,
    },
    // It takes everything down when the channel closes, however this process ends.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => program.once('exit', () => resolve()));
  const stop = async () => {
    program.kill('SIGTERM');
    await exited;
    if (!keptHome) rmSync(home, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stop().finally(() => process.exit(1)));
  await new Promise<void>((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => reject(new Error(`not ready:\n${output}`)), READY_WITHIN_MS);
    exited.then(() => reject(new Error(`ended:\n${output}`)));
    program.stdout!.on('data', (chunk: Buffer) => {
      output += chunk;
      if (!output.includes('is ready')) return;
      clearTimeout(timer);
      resolve();
    });
  });
  const read = (file: string) => JSON.parse(readFileSync(join(home, file), 'utf8'));
  const secrets = read('secrets.json');
  const postgresPort = Number(ports.POSTGRES_PORT);
  return {
    home,
    credentials: read('credentials.json'),
    temporalAddress: `127.0.0.1:${ports.TEMPORAL_PORT}`,
    metricsUrl: `http://127.0.0.1:${ports.METRICS_PORT}`,
    adminUrl: adminUrl(secrets.postgresAdminPassword, postgresPort, 'tillway'),
    databaseUrls: loginUrls(secrets, postgresPort, 'tillway'),
    pidOf(name) {
      const pid = runningProcessOf(join(home, 'run', `${name}.pid`));
      if (!pid) throw new Error(`${name} does not run`);
      return pid;
    },
    stop,
  };
}

/** A child of the bench that talks over IPC; answers its first message. */
export async function startChild<T>(file: string, ...args: string[]): Promise<{ child: ChildProcess; first: T }> {
  const child = fork(join(__dirname, file), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const first = await new Promise<T>((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
  return { child, first };
}

export function ask<T>(child: ChildProcess, order: object): Promise<T> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(message as T));
    child.send(order);
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
