import { ConfigError, environment, loadConfig } from '../../foundation/config/config.js';
import { HomeInUseError } from './home.js';
import type { Say } from './managed-process.js';
import { Supervisor } from './supervisor.js';

const SIGNALS: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const PARENT_CHECK_MS = 250;

/**
 * Resolves at the first signal that asks us to end, or when nobody could end us any more: under npm when npm is gone, and
 * when a program that started us with a channel between us is.
 * Later signals change nothing: the order of the end is already bounded.
 */
function endAsked(underNpm: boolean): Promise<'stop'> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve('stop'));
    process.once('disconnect', () => resolve('stop'));
    if (!underNpm) return;
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && resolve('stop'), PARENT_CHECK_MS).unref();
  });
}

function lineOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof HomeInUseError) return error.message;
  return `tillway could not start: ${error instanceof Error ? error.message : String(error)}`;
}

const say: Say = (line) => void process.stdout.write(`${line}\n`);

/** What is done beside a platform that is up. Answers what ends it, before the platform goes down. */
export type Company = (supervisor: Supervisor, say: Say) => () => void;

/**
 * Brings the platform up, keeps it up, and takes it down when asked. `script`: the npm script that runs us. Answers the
 * exit code.
 */
export async function runPlatform(script: 'start' | 'dev', beside?: Company): Promise<number> {
  process.title = 'tillway';
  // Whoever reads what we say may be gone before we are.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let supervisor: Supervisor | undefined;
  let code = 0;
  try {
    const env = environment();
    const asked = endAsked(env.npm_lifecycle_event === script);
    supervisor = new Supervisor(loadConfig(env), env, say);
    const outcome = await Promise.race([supervisor.start().then(() => 'up' as const), asked]);
    if (outcome === 'up') {
      const end = beside?.(supervisor, say);
      await asked;
      end?.();
    }
    say('Stopping.');
  } catch (error) {
    process.stderr.write(`${lineOf(error)}\n`);
    code = 1;
  }
  await supervisor?.stop();
  return code;
}
