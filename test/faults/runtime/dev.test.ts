import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runningProcessOf } from '../../../src/foundation/process/process-identity.js';
import { projectRoot } from '../../setup/project.js';
import { portSettings } from '../../setup/stack.js';

/** In place of the sources of the parts that are only started, those that stand in for them. */
const STAND_INS = {
  api: 'src/api/main',
  worker: 'workers/main',
  simulator: 'src/sandbox/simulator/main',
  setup: 'src/sandbox/runtime/setup',
};
const API = 'src/api/main.js';
const folder = mkdtempSync(join(tmpdir(), 'tillway-dev-'));
const home = mkdtempSync(join(tmpdir(), 'tillway-stack-'));
let program: ChildProcess;
let port: string;
let output = '';

const source = (file: string) => join(folder, file);
const pidOf = (name: string) => runningProcessOf(join(home, 'run', `${name}.pid`));
const pids = (...names: string[]) => names.map((name) => pidOf(name));
const credentials = () => JSON.parse(readFileSync(join(home, 'credentials.json'), 'utf8'));
const answer = () =>
  fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } }).then((response) => response.text());

/** Waits until it says so, after all that it had said when `after` was taken. */
async function says(what: string | RegExp, after = 0): Promise<string> {
  for (const until = Date.now() + 45_000; Date.now() < until; await sleep(25))
    if (output.slice(after).search(what) >= 0) return output.slice(after);
  throw new Error(`it did not say ${what}:\n${output}`);
}

function edit(file: string, change: (text: string) => string): number {
  const said = output.length;
  writeFileSync(source(file), change(readFileSync(source(file), 'utf8')));
  return said;
}

beforeAll(async () => {
  for (const name of [
    'src',
    'workflows',
    'activities',
    'workers',
    'scripts',
    '.swcrc',
    'package.json',
    'package-lock.json',
  ])
    cpSync(join(projectRoot, name), source(name), { recursive: true });
  for (const [name, target] of Object.entries(STAND_INS)) {
    rmSync(source(`${target}.ts`));
    cpSync(join(__dirname, 'stand-ins', `${name}.js`), source(`${target}.js`));
  }
  // Nothing here runs a workflow: without their index they are not bundled, which would take longer than all the rest.
  rmSync(source('workflows/index.ts'));
  symlinkSync(join(projectRoot, 'node_modules'), source('node_modules'));
  const ports = await portSettings();
  port = ports.PORT!;
  const { TEST_TEMPORAL_BINARY, NODE_OPTIONS, NODE_ENV, ...env } = process.env;
  program = spawn(process.execPath, ['scripts/dev.mjs'], {
    cwd: folder,
    env: { ...env, ...ports, TILLWAY_HOME: home, TILLWAY_TEMPORAL_BINARY: TEST_TEMPORAL_BINARY },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [program.stdout!, program.stderr!])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  await says('Watching src');
});

afterAll(async () => {
  if (program.exitCode === null) {
    const gone = new Promise((resolve) => program.once('exit', resolve));
    program.kill('SIGTERM');
    await gone;
  }
  for (const path of [folder, home]) rmSync(path, { recursive: true, force: true });
});

const OTHERS = ['tillway', 'postgres', 'temporal', 'tillway-simulator'];
const OURS = ['tillway-api', 'tillway-worker'];

test('a save restarts API and worker alone, on the new code, and keeps the rest and the data', async () => {
  const [others, ours, { starts }] = [pids(...OTHERS), pids(...OURS), credentials()];
  const said = edit(API, (text) => text.replace("'ready'", "'ready anew'"));
  expect(await says('Ready again', said)).toContain(`${API} changed: restarting api, worker`);
  expect(await answer()).toBe('ready anew');
  expect(pids(...OTHERS)).toEqual(others);
  for (const [index, pid] of pids(...OURS).entries()) expect([undefined, ours[index]]).not.toContain(pid);
  expect(credentials().starts).toBe(starts);
  expect(output).not.toContain('starting it again');
});

test('what does not compile is shown, and what runs goes on', async () => {
  const before = pids(...OTHERS, ...OURS);
  const said = edit('src/domain/ids.ts', (text) => `${text}\nexport const broken = ;\n`);
  const words = await says('what runs stays as it is', said);
  expect(words).toContain('src/domain/ids.ts\n');
  expect(words).toContain('export const broken = ;');
  expect(pids(...OTHERS, ...OURS)).toEqual(before);
  expect(await answer()).toBe('ready anew');
  await says(
    'Ready again',
    edit('src/domain/ids.ts', (text) => text.replace('broken = ;', 'mended = 1;')),
  );
});

test('what compiles and does not come up shows its last words, and the next save brings it back', async () => {
  const said = edit(API, (text) => `${text}\nthrow new Error('not today');\n`);
  expect(await says('not today', said)).toContain('tillway-api does not come up');
  expect(pidOf('tillway-api')).toBeUndefined();
  await says(
    'Ready again',
    edit(API, (text) => text.replace("throw new Error('not today');", '')),
  );
  expect(await answer()).toBe('ready anew');
});

test('the simulator is restarted for its own files alone', async () => {
  const [before, ours] = [pidOf('tillway-simulator'), pids(...OURS)];
  await says(
    'Ready again',
    edit('src/sandbox/simulator/timers.ts', (text) => `${text}\n// changed\n`),
  );
  expect(pidOf('tillway-simulator')).not.toBe(before);
  expect(pids(...OURS)).toEqual(ours);
});

test('a new migration, in a new folder or not, is run before the restart', async () => {
  const { starts } = credentials();
  const said = output.length;
  writeFileSync(
    source('src/foundation/db/migrations/20990101000000_nothing.ts'),
    'export const up = () => undefined;\n',
  );
  expect(await says('Ready again', said)).toContain('running migrations and seed');
  expect(credentials().starts).toBe(starts + 1);
});

test('Ctrl-C ends everything in order, with code 0', async () => {
  const gone = new Promise<number | null>((resolve) => program.once('exit', resolve));
  program.kill('SIGINT');
  expect(await gone).toBe(0);
  expect(output).toContain('\nStopping.\n');
  expect(pids(...OTHERS, ...OURS).filter(Boolean)).toEqual([]);
  expect(readFileSync(join(home, 'logs/tillway-worker.log'), 'utf8').trimEnd()).toMatch(/drained$/);
});
