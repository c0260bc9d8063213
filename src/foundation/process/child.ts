import { ConfigError, loadConfig } from '../config/config.js';

/** Ends what the process has begun: takes no new work, finishes what runs, closes connections. */
export type Stop = () => Promise<void>;

/** What a process tells its supervisor, over the channel between them, once it does its work. */
export const READY = 'ready';

/** On top of the grace that running work gets: closing pools and sockets. */
const CLOSING_MS = 4_000;

/**
 * The life of one process of the platform: names it for `ps`, starts it, and on SIGTERM, SIGINT or the loss of its
 * supervisor drains it once and exits 0; after SHUTDOWN_GRACE_MS + 4 s it exits 1 whatever still runs. A start that
 * fails ends the process with code 1 (a ConfigError with its one line).
 */
export function runChild(name: string, start: () => Promise<Stop>): void {
  process.title = name;
  const started = Promise.resolve()
    .then(start)
    .then((stop) => {
      // To a supervisor that waits for it; one that has just gone hears nothing.
      if (process.connected) process.send?.(READY, () => undefined);
      return stop;
    })
    .catch((error: unknown) => {
      const text = error instanceof ConfigError ? error.message : error instanceof Error ? error.stack : String(error);
      process.stderr.write(`${name}: ${text}\n`);
      process.exit(1);
    });
  let draining = false;
  onDrain(() => {
    if (draining) return;
    draining = true;
    setTimeout(() => process.exit(1), loadConfig().timers.shutdownGraceMs + CLOSING_MS).unref();
    started
      .then((stop) => stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${name}: stopping failed: ${error instanceof Error ? error.stack : String(error)}\n`);
          process.exit(1);
        },
      );
  });
}

/** Calls `drain` when somebody asks this process to end, or when the supervisor that started it is gone. */
function onDrain(drain: () => void): void {
  process.on('SIGTERM', drain);
  process.on('SIGINT', drain);
  if (!process.channel) return;
  process.on('disconnect', drain);
  // The channel must not keep a process alive that has nothing else to do.
  process.channel.unref();
}
