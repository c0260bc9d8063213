import { ConfigError, loadConfig } from '../config/config.js';

/** Ends what the process has begun: takes no new work, finishes what runs, closes connections. */
export type Stop = () => Promise<void>;

/** What a process tells its supervisor, over the channel between them, once it does its work. */
export const READY = 'ready';
/** An argument: load the code, and begin only at `GO` over the channel. The process before this one is still there. */
export const HELD = '--held';
export const GO = 'go';

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
    .then(() => released)
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
  // The channel must not keep a process alive that has nothing else to do; while it waits for a word it has.
  void Promise.resolve(released).then(() => process.channel?.unref());
}

/** Resolves when the supervisor says `word`; ends the process, which has begun nothing, when the supervisor is gone. */
function told(word: string): Promise<void> {
  return new Promise((resolve) => {
    const gone = () => process.exit(0);
    process.once('disconnect', gone);
    process.on('message', function hear(message) {
      if (message !== word) return;
      process.off('message', hear);
      process.off('disconnect', gone);
      resolve();
    });
  });
}

// Listens from the moment that this is loaded: the word may come while the rest of the program is still being loaded.
const released = process.argv.includes(HELD) ? told(GO) : undefined;
