import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runningProcessOf } from '../../src/foundation/process/process-identity.js';
import { freePorts } from './ports.js';
import { projectRoot } from './project.js';

const READY_WITHIN_MS = 120_000;

/** Addresses and secrets of a running platform: its credentials.json. */
// biome-ignore lint/suspicious/noExplicitAny: the file is what is under test, so its type is not assumed
export type Credentials = Record<string, any>;

/** `tillway` (the supervisor), `tillway-api`, `tillway-worker`, `tillway-worker-2`, `tillway-simulator`, `temporal`, `postgres`. */
export type ProcessName = string;

export interface Stack {
  credentials: Credentials;
  apiUrl: string;
  home: string;
  /** The environment it was started with, ports included. */
  env: NodeJS.ProcessEnv;
  /** All it has said so far. */
  output(): string;
  /** The process of that name as it is now; undefined while it is down. For Postgres, the postmaster. */
  pidOf(name: ProcessName): number | undefined;
  kill(name: ProcessName, signal?: NodeJS.Signals): void;
  /** Ends the supervisor; resolves with its exit code (null when a signal ended it) and how long that took. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; ms: number }>;
  /** Starts the same platform again on its data and ports. */
  restart(): Promise<Stack>;
  /** Ends it and removes its home. */
  remove(): Promise<void>;
}

export interface StackOptions {
  env?: NodeJS.ProcessEnv;
  home?: string;
  /** The program to run; absent: the built one. */
  program?: string;
  /** The Node.js that runs it; absent: the one that runs the tests. */
  node?: string;
}

/** A Node.js and the program that it runs. */
type Command = [node: string, program: string];

/** A machine with little to give lets requests wait for a turn, a connection or the engine; no test is about for how long. */
const PATIENCE = { DATABASE_ACQUIRE_MS: '20000', TEMPORAL_ACCEPT_MS: '20000', API_TURN_WAIT_MS: '60000' };

/** Starts the real program on ports of its own and a home of its own, and waits until it says it is ready. */
export async function startStack({
  env = {},
  home,
  program,
  node = process.execPath,
}: StackOptions = {}): Promise<Stack> {
  const place = home ?? mkdtempSync(join(tmpdir(), 'tillway-stack-'));
  const complete = { ...inherited(), ...(await portSettings()), ...PATIENCE, TILLWAY_HOME: place, ...env };
  return launch([node, program ?? join(projectRoot, 'dist/src/sandbox/runtime/main.js')], place, complete);
}

/** Our environment without what is jest's, and with the engine that the run has found. */
function inherited(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(TEST_|JEST_|NODE_OPTIONS$|NODE_ENV$)/.test(name));
  const binary = process.env.TEST_TEMPORAL_BINARY;
  return { ...Object.fromEntries(entries), ...(binary ? { TILLWAY_TEMPORAL_BINARY: binary } : {}) };
}

export async function portSettings(): Promise<Record<string, string>> {
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
  const ports = await freePorts(names.length);
  return Object.fromEntries(names.map((name, index) => [name, String(ports[index])]));
}

async function launch(command: Command, home: string, env: NodeJS.ProcessEnv): Promise<Stack> {
  const [node, program] = command;
  const child = spawn(node, [program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => fail('is not ready in time'), READY_WITHIN_MS);
    const fail = (what: string) => {
      clearTimeout(timer);
      child.kill('SIGTERM');
      reject(new Error(`the platform ${what}:\n${output}`));
    };
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
      if (!output.includes('Tillway is ready')) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    exited.then((code) => fail(`ended with ${code}`));
  });
  return describe(command, home, env, child, exited, () => output);
}

function describe(
  command: Command,
  home: string,
  env: NodeJS.ProcessEnv,
  child: ChildProcess,
  exited: Promise<number | null>,
  output: () => string,
): Stack {
  const credentials = JSON.parse(readFileSync(join(home, 'credentials.json'), 'utf8')) as Credentials;
  const pidOf = (name: ProcessName) => runningProcessOf(join(home, 'run', `${name}.pid`));
  const stop: Stack['stop'] = async (signal = 'SIGTERM') => {
    const beganAt = Date.now();
    child.kill(signal);
    return { code: await exited, ms: Date.now() - beganAt };
  };
  return {
    credentials,
    apiUrl: credentials.apiUrl,
    home,
    env,
    output,
    pidOf,
    kill(name, signal = 'SIGKILL') {
      const pid = pidOf(name);
      if (!pid) throw new Error(`${name} does not run`);
      process.kill(pid, signal);
    },
    stop,
    restart: () => launch(command, home, env),
    async remove() {
      await stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The platform that all end-to-end tests of a tier share; they leave it running. */
export function sharedStack(): { credentials: Credentials; apiUrl: string; home: string } {
  const { STACK_HOME = 'TEST_STACK_HOME' } = globalThis as { STACK_HOME?: string };
  const home = process.env[STACK_HOME];
  if (!home) throw new Error('there is no shared stack in this run: it is for the tests under test/e2e');
  const credentials = JSON.parse(readFileSync(join(home, 'credentials.json'), 'utf8')) as Credentials;
  return { credentials, apiUrl: credentials.apiUrl, home };
}
