import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchPlatform } from './platform';

/** The parts of a platform, and which processes each of them is. */
export const PARTS = {
  API: 'tillway-api',
  worker: 'tillway-worker',
  engine: 'temporal',
  Postgres: 'postgres',
  processor: 'tillway-simulator',
} as const;

export type Part = keyof typeof PARTS;

/** CPU in milliseconds, of each part. */
export type Cpu = Record<Part, number>;

const NAMES = Object.keys(PARTS) as Part[];
const MS_PER_TICK = 1_000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const LOOK_EVERY_MS = 500;
/** So much more than at rest still is rest: the clock of processes has steps of 10 ms. */
const REST_MS = 30;
const RESTS_WITHIN_MS = 30_000;

/** What all processes have used since they began: user and system time, with that of their children, those that are gone too. */
export function cpuOf(platform: BenchPlatform): Cpu {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(name) ?? []) : []));
  return eachPart((part) => {
    const pid = platform.pidOf(PARTS[part]);
    return all.reduce(
      (sum, stat) => sum + (stat.pid === pid ? stat.ownMs + stat.goneMs : stat.parent === pid ? stat.ownMs : 0),
      0,
    );
  });
}

/** What `after` has used since `before`, without what `idle` uses in a second for each of these seconds. */
export function spent(before: Cpu, after: Cpu, idle: Cpu, seconds: number): Cpu {
  return eachPart((part) => Math.max(0, after[part] - before[part] - idle[part] * seconds));
}

/** What the platform uses in a second while nobody asks anything of it. */
export async function atRest(platform: BenchPlatform, seconds: number): Promise<Cpu> {
  const before = cpuOf(platform);
  await sleep(seconds * 1_000);
  const after = cpuOf(platform);
  return eachPart((part) => (after[part] - before[part]) / seconds);
}

/** Waits until the platform has done what follows from what it was asked. Rejects when it never comes to rest. */
export async function comesToRest(platform: BenchPlatform, idle: Cpu): Promise<void> {
  for (const giveUpAt = Date.now() + RESTS_WITHIN_MS; Date.now() < giveUpAt; ) {
    const { API, worker, engine, Postgres } = await atRest(platform, LOOK_EVERY_MS / 1_000);
    const atIdle = idle.API + idle.worker + idle.engine + idle.Postgres;
    if (API + worker + engine + Postgres <= 1.5 * atIdle + REST_MS * (1_000 / LOOK_EVERY_MS)) return;
  }
  throw new Error('the platform does not come to rest: is something else using it?');
}

export function eachPart(of: (part: Part) => number): Cpu {
  return Object.fromEntries(NAMES.map((part) => [part, of(part)])) as Cpu;
}

/** Undefined for a process that has just gone. */
function statOf(pid: string): { pid: number; parent: number; ownMs: number; goneMs: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in brackets and may itself hold spaces: count from the last bracket (proc(5)).
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ms = (from: number) => (fields[from]! + fields[from + 1]!) * MS_PER_TICK;
    return { pid: Number(pid), parent: fields[1]!, ownMs: ms(11), goneMs: ms(13) };
  } catch {
    return undefined;
  }
}
