import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { until } from '../../e2e/client.js';
import { portSettings, type Stack, startStack } from '../../setup/stack.js';
import { outside } from './outside.js';
import { buildProgram } from './program.js';

/** A bound against waiting forever, never a claim on speed. */
const PATIENCE_MS = 60_000;
const TIMEOUT_MS = 4 * PATIENCE_MS;

const program = buildProgram();
let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ program: program.main });
}, TIMEOUT_MS);

afterAll(async () => {
  await stack?.remove();
  program.remove();
});

const NAMES = ['tillway', 'postgres', 'temporal', 'tillway-api', 'tillway-worker', 'tillway-simulator'];
const titleOf = (pid: number) =>
  spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();

/** Waits until the program has said it: what it says comes through a pipe, in its own time. */
async function said(line: string): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until && !stack.output().includes(line); ) await sleep(50);
  expect(stack.output()).toContain(line);
}

async function replaced(name: string, before: number | undefined): Promise<number> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(50)) {
    const pid = stack.pidOf(name);
    if (pid && pid !== before) return pid;
  }
  throw new Error(`${name} did not come back`);
}

async function allGone(): Promise<boolean> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(50))
    if (NAMES.every((name) => stack.pidOf(name) === undefined)) return true;
  return false;
}

describe('a running platform', () => {
  test('names its processes for ps', async () => {
    // The platform is ready as soon as one worker is; the others follow.
    for (const name of NAMES.filter((name) => name.startsWith('tillway')))
      await until(`${name} has its name`, async () => titleOf(stack.pidOf(name)!) === name);
  });

  test('keeps secrets and credentials from other users', () => {
    for (const name of ['credentials.json', 'secrets.json'])
      expect((statSync(join(stack.home, name)).mode & 0o777).toString(8)).toBe('600');
    for (const folder of ['logs', 'run', 'postgres', 'temporal'])
      expect((statSync(join(stack.home, folder)).mode & 0o077).toString(8)).toBe('0');
  });

  test('writes the addresses it really listens on, and a secret for each processor', () => {
    expect(stack.credentials).toMatchObject({
      apiUrl: `http://127.0.0.1:${stack.env.PORT}`,
      authUrl: `https://127.0.0.1:${stack.env.AUTH_PORT}`,
      simulatorUrl: `http://127.0.0.1:${stack.env.SIMULATOR_PORT}`,
      temporalAddress: `127.0.0.1:${stack.env.TEMPORAL_PORT}`,
      temporalUiUrl: `http://127.0.0.1:${stack.env.TEMPORAL_UI_PORT}`,
    });
    expect(Object.keys(stack.credentials.processorSecrets)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  });

  test('runs on a role that is no superuser and gives no child the owner of the schema', async () => {
    expect(stack.credentials.role).toEqual({ rolname: 'tillway_app', rolsuper: false });
    await until('the worker says what it sees', async () =>
      readFileSync(join(stack.home, 'logs/tillway-worker.log'), 'utf8').includes('sees the owner of the schema: false'),
    );
  });

  test('shows a first payment without a secret of the machinery', () => {
    const secrets = JSON.parse(readFileSync(join(stack.home, 'secrets.json'), 'utf8')) as Record<string, string>;
    expect(stack.output()).toContain('/payments/h2h/1');
    for (const secret of Object.values(secrets)) expect(stack.output()).not.toContain(secret);
  });

  test('has the search attributes in its engine', async () => {
    const connection = await Connection.connect({ address: stack.credentials.temporalAddress });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
    await connection.close();
    expect(customAttributes).toHaveProperty('TillwayMerchantTransactionId');
  });

  test('refuses a second start on the same home', () => {
    const second = spawnSync(process.execPath, [program.main], { env: stack.env, encoding: 'utf8' });
    expect(second.status).toBe(1);
    expect(second.stderr).toBe(`TILLWAY_HOME ${stack.home} is in use by process ${stack.pidOf('tillway')}\n`);
  });

  test.each(['tillway-api', 'tillway-worker', 'tillway-simulator', 'temporal', 'postgres'])(
    'starts %s again when it is killed',
    async (name) => {
      const before = stack.pidOf(name);
      stack.kill(name);
      await replaced(name, before);
      await said(`${name} was ended by SIGKILL; starting it again`);
    },
    TIMEOUT_MS,
  );
});

describe('beside another', () => outside(() => stack, program.main));

describe('after a crash', () => {
  test(
    'the children of a killed supervisor end by themselves',
    async () => {
      const children = ['tillway-api', 'tillway-worker', 'tillway-simulator'];
      stack.kill('tillway');
      for (const until = Date.now() + PATIENCE_MS; Date.now() < until && children.some((name) => stack.pidOf(name)); )
        await sleep(50);
      expect(children.map((name) => stack.pidOf(name))).toEqual([undefined, undefined, undefined]);
    },
    TIMEOUT_MS,
  );

  test(
    'the next start takes over engine and database and continues on their data',
    async () => {
      const { clientSecret } = stack.credentials.clients.merchant;
      const starts = stack.credentials.starts;
      stack = await stack.restart();
      expect(stack.credentials.starts).toBe(starts + 1);
      expect(stack.credentials.clients.merchant.clientSecret).toBe(clientSecret);
    },
    TIMEOUT_MS,
  );

  test(
    'everything killed at once comes back with its data',
    async () => {
      const starts = stack.credentials.starts;
      for (const name of NAMES) stack.kill(name);
      stack = await stack.restart();
      expect(stack.credentials.starts).toBe(starts + 1);
    },
    TIMEOUT_MS,
  );

  test(
    'a lock file of Postgres whose pid is now another process does not stop the start',
    async () => {
      const starts = stack.credentials.starts;
      const lock = join(stack.home, 'postgres/postmaster.pid');
      const text = readFileSync(lock, 'utf8');
      await stack.stop();
      writeFileSync(lock, text.replace(/^\d+/, String(process.pid)), { mode: 0o644 });
      stack = await stack.restart();
      expect(stack.credentials.starts).toBe(starts + 1);
    },
    TIMEOUT_MS,
  );
});

describe('asked to end', () => {
  test(
    'drains in order, within 20 s, with code 0, and leaves nothing running',
    async () => {
      const pids = NAMES.map((name) => stack.pidOf(name)!);
      expect(await stack.stop()).toMatchObject({ code: 0 });
      // Whoever is not gone within 20 s is ended by force.
      expect(stack.output()).not.toMatch(/tillway-\w+ did not end/);
      expect(readFileSync(join(stack.home, 'logs/tillway-worker.log'), 'utf8').trimEnd()).toMatch(/drained$/);
      for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    },
    TIMEOUT_MS,
  );

  test(
    'a start that is under way ends cleanly too',
    async () => {
      for (const afterMs of [150, 500, 900]) {
        const child = spawn(process.execPath, [program.main], { env: stack.env, stdio: 'ignore' });
        const exited = new Promise((resolve) => child.once('exit', resolve));
        await sleep(afterMs);
        child.kill('SIGTERM');
        await exited;
        expect(NAMES.map((name) => stack.pidOf(name))).toEqual(NAMES.map(() => undefined));
      }
    },
    TIMEOUT_MS,
  );
});

describe('under npm start', () => {
  /** Starts through npm. */
  function npmStart() {
    const npm = spawn('npm', ['start', '--silent'], {
      cwd: program.folder,
      env: stack.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    npm.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const says = async (what: string | RegExp): Promise<string> => {
      for (const until = Date.now() + PATIENCE_MS; Date.now() < until && output.search(what) < 0; ) await sleep(50);
      return output;
    };
    return { npm, says };
  }

  test(
    'a SIGTERM to npm reaches the platform',
    async () => {
      const { npm, says } = npmStart();
      await says('is ready');
      expect(stack.pidOf('tillway')).toBeDefined();
      npm.kill('SIGTERM');
      expect(await allGone()).toBe(true);
    },
    TIMEOUT_MS,
  );

  test(
    'a killed npm takes the platform down, and the next start waits for that',
    async () => {
      const first = npmStart();
      await first.says('is ready');
      // A worker that does not end yet holds up the end of the whole.
      const worker = stack.pidOf('tillway-worker')!;
      process.kill(worker, 'SIGSTOP');
      first.npm.kill('SIGKILL');
      while (NAMES.every((name) => stack.pidOf(name) !== undefined)) await sleep(20);
      const second = npmStart();
      await second.says(/waiting for process \d+/);
      process.kill(worker, 'SIGCONT');
      expect(await second.says('Tillway is ready')).toMatch(/waiting for process \d+[\s\S]*Tillway is ready/);
      second.npm.kill('SIGTERM');
      expect(await allGone()).toBe(true);
    },
    TIMEOUT_MS,
  );
});

test(
  'a killed program takes down the platform that it started over a channel, as the bench does',
  async () => {
    const starter = `require('node:child_process').fork(${JSON.stringify(program.main)}, { stdio: 'inherit' })`;
    const child = spawn(process.execPath, ['-e', starter], { env: stack.env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await until('it is ready', async () => output.includes('is ready'));
    expect(NAMES.map((name) => stack.pidOf(name))).not.toContain(undefined);
    child.kill('SIGKILL');
    expect(await allGone()).toBe(true);
  },
  TIMEOUT_MS,
);

describe('a start that cannot succeed says so in one line', () => {
  const start = (env: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, [program.main], { env: { ...stack.env, ...env }, encoding: 'utf8' });

  test.each([
    'PORT',
    'AUTH_PORT',
    'SIMULATOR_PORT',
    'TEMPORAL_PORT',
    'TEMPORAL_UI_PORT',
    'POSTGRES_PORT',
    'METRICS_PORT',
    'MAILBOX_SMTP_PORT',
  ])('names %s when it is taken', async (variable) => {
    const port = Number(stack.env[variable]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const { status, stderr } = start({});
    await new Promise((resolve) => server.close(resolve));
    expect([status, stderr]).toEqual([1, `${variable}: port ${port} on 127.0.0.1 is already in use\n`]);
  });

  test('names two settings that ask for one port', async () => {
    const { PORT } = await portSettings();
    expect(start({ PORT, AUTH_PORT: PORT }).stderr).toBe(`AUTH_PORT and PORT are both ${PORT}\n`);
  });

  test.each([
    [{ PORT: 'eighty' }, 'PORT must be a number\n'],
    [{ TILLWAY_HOEM: '/tmp' }, 'TILLWAY_HOEM is not a setting of Tillway\n'],
    [{ DATABASE_URL: 'mysql://localhost/x' }, expect.stringMatching(/^DATABASE_URL must be .*\n$/)],
    [{ NODE_ENV: 'production' }, expect.stringMatching(/^DATABASE_URL is required when NODE_ENV=production\n/)],
    [{ HOST: '0.0.0.0' }, expect.stringMatching(/^HOST 0\.0\.0\.0 lets other machines reach this sandbox.*\n$/)],
  ])('%j', (env, line) => {
    const { status, stderr } = start(env);
    expect([status, stderr]).toEqual([1, line]);
  });

  test('names TILLWAY_TEMPORAL_BINARY when it is no such thing, and stops the database it had started', () => {
    const { status, stderr } = start({ TILLWAY_TEMPORAL_BINARY: '/bin/false' });
    expect([status, stderr]).toEqual([1, 'TILLWAY_TEMPORAL_BINARY /bin/false is not a Temporal executable\n']);
    expect(stack.pidOf('postgres')).toBeUndefined();
  });
});
