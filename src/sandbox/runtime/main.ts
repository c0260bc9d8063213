import { ConfigError, environment, loadConfig } from '../../foundation/config/config.js';
import { HomeInUseError } from './home.js';
import { Supervisor } from './supervisor.js';

const SIGNALS: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const PARENT_CHECK_MS = 250;

/**
 * Resolves at the first signal that asks us to end, or, under `npm start`, when npm is gone: nobody could end us by it
 * any more. Later signals change nothing: the order of the end is already bounded.
 */
function endAsked(underNpm: boolean): Promise<'stop'> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve('stop'));
    if (!underNpm) return;
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && resolve('stop'), PARENT_CHECK_MS).unref();
  });
}

function lineOf(error: unknown): string {
  if (error instanceof ConfigError || error instanceof HomeInUseError) return error.message;
  return `tillway could not start: ${error instanceof Error ? error.message : String(error)}`;
}

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** `npm start`: brings the platform up, keeps it up, and takes it down when asked. */
async function main(): Promise<number> {
  process.title = 'tillway';
  // Whoever reads what we say may be gone before we are.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  let supervisor: Supervisor | undefined;
  let code = 0;
  try {
    const env = environment();
    const asked = endAsked(env.npm_lifecycle_event === 'start');
    supervisor = new Supervisor(loadConfig(env), env, say);
    const outcome = await Promise.race([supervisor.start().then(() => 'up' as const), asked]);
    if (outcome === 'up') await asked;
    say('Stopping.');
  } catch (error) {
    process.stderr.write(`${lineOf(error)}\n`);
    code = 1;
  }
  await supervisor?.stop();
  return code;
}

main().then((code) => process.exit(code));
