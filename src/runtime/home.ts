import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, runningProcessOf } from './process-identity.js';

/** Where the embedded parts keep what they must not lose: one folder, one supervisor at a time. */
export interface Home {
  path: string;
  logs: string;
  /** Pid files of what runs. */
  run: string;
  secretsFile: string;
  credentialsFile: string;
  logFile(name: string): string;
  pidFile(name: string): string;
}

export class HomeInUseError extends Error {
  override readonly name = 'HomeInUseError';
}

/** Creates TILLWAY_HOME. Others may pass through it (Postgres runs as its own user under root) but not list it. */
export function prepareHome(path: string): Home {
  const home: Home = {
    path,
    logs: join(path, 'logs'),
    run: join(path, 'run'),
    secretsFile: join(path, 'secrets.json'),
    credentialsFile: join(path, 'credentials.json'),
    logFile: (name) => join(path, 'logs', `${name}.log`),
    pidFile: (name) => join(path, 'run', `${name}.pid`),
  };
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o711);
  for (const folder of [home.logs, home.run]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return home;
}

/** Writes a file nobody else may read, whole or not at all. */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

/**
 * Takes the home for this process. Throws HomeInUseError while another living supervisor holds it; a lock left behind
 * by a killed one is taken over.
 */
export function lockHome(home: Home): () => void {
  const lock = home.pidFile('tillway');
  const self = identify(process.pid);
  const mine = `${process.pid} ${self?.startedAt}\n`;
  const draft = `${lock}.${process.pid}`;
  writeFileSync(draft, mine);
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      if (link(draft, lock)) return () => rmSync(lock, { force: true });
      const holder = runningProcessOf(lock);
      if (holder) throw new HomeInUseError(`TILLWAY_HOME ${home.path} is in use by process ${holder}`);
      removeStale(lock);
    }
    throw new HomeInUseError(`TILLWAY_HOME ${home.path}: ${lock} changes hands too fast; try again`);
  } finally {
    rmSync(draft, { force: true });
  }
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves the stale lock aside first: if another start has just replaced it by its own, that one is put back. */
function removeStale(lock: string): void {
  const aside = `${lock}.stale.${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch {
    return;
  }
  if (runningProcessOf(aside)) link(aside, lock);
  rmSync(aside, { force: true });
}

/** The JSON object in a file, or undefined where there is no file. */
export function readJsonFile(path: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
}
