import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { READY } from '../../foundation/process/child.js';
import { removePidFile, writePidFile } from '../../foundation/process/process-identity.js';

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

/** One process of the platform: started, restarted when it dies, stopped on request. */
export class ManagedProcess {
  readonly name: string;
  private child: ChildProcess | undefined;
  private timer: NodeJS.Timeout | undefined;
  private stopping = false;
  private pauseMs = FIRST_RESTART_MS;
  private startedAt = 0;
  /** Where in the log the present run begins. */
  private logFrom = 0;
  /** How often it ended unasked since it was first started. */
  deaths = 0;
  /** Whether it has said, over the channel, that it does its work. */
  isReady = false;

  constructor(
    private readonly spec: ProcessSpec,
    private readonly say: Say,
  ) {
    this.name = spec.name;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Starts it, also after a stop. */
  start(): void {
    const { spec } = this;
    this.stopping = false;
    this.isReady = false;
    rotate(spec.logFile);
    const log = openSync(spec.logFile, 'a', 0o600);
    this.logFrom = fstatSync(log).size;
    this.startedAt = Date.now();
    // A session of its own: Ctrl-C reaches us alone, and we end the others in their order.
    const child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: spec.env,
      detached: true,
      stdio: spec.channel ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
      ...spec.owner,
    });
    closeSync(log);
    this.child = child;
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
    if (child.pid) writePidFile(spec.pidFile, child.pid);
  }

  private ended(how: string): void {
    this.child = undefined;
    this.isReady = false;
    removePidFile(this.spec.pidFile);
    if (this.stopping) return;
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

  /** The last lines that it wrote since it was last started, `most` at most. */
  lastLines(most: number): string[] {
    return endOf(this.spec.logFile, this.logFrom).slice(-most);
  }
}

function rotate(logFile: string): void {
  if (existsSync(logFile) && statSync(logFile).size > LOG_LIMIT_BYTES) renameSync(logFile, `${logFile}.1`);
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
