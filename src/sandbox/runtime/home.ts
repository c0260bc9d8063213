import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningProcessOf, writePidFile } from '../../foundation/process/process-identity.js';
import type { Say } from './managed-process.js';

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

/** Held by this process until `release`. */
export interface HomeLock {
  /** Says that we are on our way out, so that the next start waits for us instead of giving up. */
  announceEnd(): void;
  release(): void;
}

/**
 * Takes the home for this process. A lock left behind by a killed supervisor is taken over; one whose holder is about
 * to end is waited for, at most `patienceMs`. Throws HomeInUseError while another one holds it.
 */
export async function lockHome(home: Home, patienceMs: number, say: Say): Promise<HomeLock> {
  const lock = home.pidFile('tillway');
  const ending = join(home.run, 'ending');
  const draft = `${lock}.${process.pid}`;
  writePidFile(draft, process.pid);
  let waited = false;
  try {
    for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(100)) {
      if (link(draft, lock)) {
        rmSync(ending, { force: true });
        return {
          announceEnd: () => writeFileSync(ending, ''),
          release: () => {
            rmSync(ending, { force: true });
            rmSync(lock, { force: true });
          },
        };
      }
      const holder = runningProcessOf(lock);
      if (!holder) removeStale(lock);
      else if (!existsSync(ending))
        throw new HomeInUseError(`TILLWAY_HOME ${home.path} is in use by process ${holder}`);
      else if (!waited) say(`waiting for process ${holder}, which is about to end`);
      waited ||= holder !== undefined;
    }
    throw new HomeInUseError(`TILLWAY_HOME ${home.path} is still in use`);
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
