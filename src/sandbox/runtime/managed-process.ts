import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GO, HELD, READY } from '../../foundation/process/child.js';
import { removePidFile, writePidFile } from '../../foundation/process/process-identity.js';
import { LOAD } from './dev/spare.js';

/** Says one line to the person at the console. */
export type Say = (line: string) => void;

export interface ProcessSpec {
  /** As it is called in logs, pid files and messages. */
  name: string;
  command: string;
  args: string[];
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** The user it runs as; absent: ours. */
  owner?: { uid: number; gid: number };
  logFile: string;
  pidFile: string;
  /** What asks it to end in good order; SIGTERM unless said otherwise. */
  stopSignal?: NodeJS.Signals;
  /** Opens a channel whose closing tells a Node child that we are gone. */
  channel?: boolean;
}

const LOG_LIMIT_BYTES = 20 * 1024 * 1024;
const FIRST_RESTART_MS = 100;
const SLOWEST_RESTART_MS = 5_000;
/** A process that lived this long was well: its next death starts from the shortest pause again. */
const HEALTHY_AFTER_MS = 10_000;
const ON_TRIAL_MS = 60_000;
const SPARE = join(__dirname, 'dev/spare.js');

/** One process of the platform: started, restarted when it dies, stopped on request. */
export class ManagedProcess {
  readonly name: string;
  private child: ChildProcess | undefined;
  private spare: ChildProcess | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopping = false;
  private pauseMs = FIRST_RESTART_MS;
  private startedAt = 0;
  /** Where in the log the last replacement begins. */
  private logFrom = 0;
  /** How often it ended unasked since it was first started. */
  deaths = 0;
  /** Whether it has said, over the channel, that it does its work. */
  private isReady = false;
  /** A new process that has still to show that it comes up; it is not started again by itself. */
  private onTrial = false;

  constructor(
    private readonly spec: ProcessSpec,
    private readonly say: Say,
  ) {
    this.name = spec.name;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  start(): void {
    this.adopt(this.spawn(this.spec.args));
  }

  /**
   * Puts a new process into its place: the new one loads its code while the old one drains, and begins when that has
   * gone. Resolves once it does its work. Rejects with its last lines when it does not come up: then it is down. Does
   * nothing more as soon as `isWanted` says no.
   */
  async replace(graceMs: number, isWanted: () => boolean): Promise<void> {
    const { spare } = this;
    this.spare = undefined;
    this.logFrom = sizeOf(this.spec.logFile);
    const successor = spare?.connected ? spare : this.spawn([...this.spec.args, HELD]);
    successor.send(LOAD, () => undefined);
    await this.stop(graceMs);
    if (!isWanted()) {
      successor.kill('SIGKILL');
      return;
    }
    this.onTrial = true;
    this.adopt(successor);
    successor.send(GO, () => undefined);
    const until = Date.now() + ON_TRIAL_MS;
    while (!this.isReady && this.child && isWanted() && Date.now() < until) await sleep(20);
    this.onTrial = false;
    if (this.isReady || !isWanted()) return;
    await this.stop(0);
    throw new Error(`${this.name} does not come up:\n${endOf(this.spec.logFile, this.logFrom).slice(-15).join('\n')}`);
  }

  /** Keeps a process in reserve that has loaded what changes seldom: the next `replace` takes it. */
  prepare(): void {
    const [program, ...args] = this.spec.args;
    if (!this.spare?.connected) this.spare = this.spawn([SPARE, program!, ...args, HELD]);
  }

  private spawn(args: string[]): ChildProcess {
    const { spec } = this;
    rotate(spec.logFile);
    const log = openSync(spec.logFile, 'a', 0o600);
    // A session of its own: Ctrl-C reaches us alone, and we end the others in their order.
    const child = spawn(spec.command, args, {
      cwd: spec.cwd,
      env: spec.env,
      detached: true,
      stdio: spec.channel ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
      ...spec.owner,
    });
    closeSync(log);
    // Heard once it is adopted; before that nobody misses it.
    child.on('error', () => undefined);
    return child;
  }

  private adopt(child: ChildProcess): void {
    this.child = child;
    this.stopping = false;
    this.isReady = false;
    this.startedAt = Date.now();
    let ended = false;
    const onEnd = (how: string) => {
      if (ended) return;
      ended = true;
      this.ended(how);
    };
    child.once('error', (error) => onEnd(`could not run: ${error.message}`));
    child.once('exit', (code, signal) => onEnd(signal ? `was ended by ${signal}` : `ended with code ${code}`));
    child.on('message', (message) => {
      if (message === READY && this.child === child) this.isReady = true;
    });
    if (child.exitCode !== null || child.signalCode !== null) onEnd(`ended with code ${child.exitCode}`);
    else if (child.pid) writePidFile(this.spec.pidFile, child.pid);
  }

  private ended(how: string): void {
    this.child = undefined;
    this.isReady = false;
    removePidFile(this.spec.pidFile);
    if (this.stopping || this.onTrial) return;
    this.deaths += 1;
    if (Date.now() - this.startedAt > HEALTHY_AFTER_MS) this.pauseMs = FIRST_RESTART_MS;
    this.say(`${this.name} ${how}; starting it again (log: ${this.spec.logFile})`);
    this.timer = setTimeout(() => this.start(), this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, SLOWEST_RESTART_MS);
  }

  /** Asks it to end, and ends it by force after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    this.spare?.kill('SIGKILL');
    this.spare = undefined;
    const { child } = this;
    if (!child?.pid) return;
    const gone = new Promise<'gone'>((resolve) => child.once('exit', () => resolve('gone')));
    child.kill(this.spec.stopSignal ?? 'SIGTERM');
    if ((await Promise.race([gone, sleep(graceMs, 'late', { ref: false })])) === 'gone') return;
    this.say(`${this.name} did not end within ${graceMs} ms and is ended by force`);
    child.kill('SIGKILL');
    await gone;
  }

  /** The last line it wrote, for a message about its end. */
  lastWords(): string {
    return endOf(this.spec.logFile, 0).at(-1) ?? '';
  }
}

function rotate(logFile: string): void {
  if (existsSync(logFile) && statSync(logFile).size > LOG_LIMIT_BYTES) renameSync(logFile, `${logFile}.1`);
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** The lines of the last 4 kB of a file, from the byte `from` on. */
function endOf(logFile: string, from: number): string[] {
  if (!existsSync(logFile)) return [];
  const size = statSync(logFile).size;
  const tail = Buffer.alloc(Math.min(Math.max(size - from, 0), 4_096));
  const fd = openSync(logFile, 'r');
  readSync(fd, tail, 0, tail.length, size - tail.length);
  closeSync(fd);
  return tail.toString('utf8').trimEnd().split('\n');
}
