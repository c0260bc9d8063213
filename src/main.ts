import { ConfigError, environment, loadConfig } from './config.js';
import { HomeInUseError } from './runtime/home.js';
import { Supervisor } from './runtime/supervisor.js';

const SIGNALS: NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/** Resolves at the first signal that asks us to end; later ones change nothing: the order of the end is already bounded. */
function endAsked(): Promise<'stop'> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve('stop'));
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
  const asked = endAsked();
  let supervisor: Supervisor | undefined;
  let code = 0;
  try {
    const env = environment();
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
