import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process of this machine that a pid file names: the start time tells it from a later one with the same pid. */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** When the process began, in whatever form the system tells it; undefined when there is no such process. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in brackets and may itself hold spaces: count from the last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    if (process.platform === 'linux') return undefined;
    return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() || undefined;
  }
}

/** Whether a process with this pid runs (a zombie does not). */
export function isRunning(pid: number): boolean {
  return startOf(pid) !== undefined;
}

export function isSameProcess(identity: ProcessIdentity): boolean {
  return startOf(identity.pid) === identity.startedAt;
}

export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = startOf(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export function writePidFile(path: string, pid: number): void {
  const identity = identify(pid);
  if (identity) writeFileSync(path, `${identity.pid} ${identity.startedAt}\n`);
}

/** The process a pid file names, if that very process still runs. */
export function runningProcessOf(pidFile: string): number | undefined {
  let text: string;
  try {
    text = readFileSync(pidFile, 'utf8').trim();
  } catch {
    return undefined;
  }
  const [pid, ...startedAt] = text.split(' ');
  const identity = { pid: Number(pid), startedAt: startedAt.join(' ') };
  return Number.isInteger(identity.pid) && identity.pid > 0 && isSameProcess(identity) ? identity.pid : undefined;
}

export function removePidFile(path: string): void {
  rmSync(path, { force: true });
}

/** Sends each signal in turn, giving the process `waitMs` after each to be gone. Answers whether it is. */
export async function endProcess(pid: number, signals: [NodeJS.Signals, number][]): Promise<boolean> {
  for (const [signal, waitMs] of signals) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
      throw error;
    }
    for (const until = Date.now() + waitMs; Date.now() < until; await sleep(25)) if (!isRunning(pid)) return true;
  }
  return !isRunning(pid);
}
