import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { verify } from 'otplib';
import { SCENARIOS } from '../../src/sandbox/cli/tillway/scenarios';
import { projectRoot } from '../setup/project';
import { sharedStack } from '../setup/stack';
import { isGenuine, Receiver } from '../unit/edge/notifications/receiver';
import { type Actors, actorsOf, CARDS, type Json, transactionId, until } from './client';

/** The command line, as a developer runs it. */

const { credentials, home } = sharedStack();
const running: ChildProcess[] = [];
let actors: Actors;
let receiver: Receiver;

beforeAll(async () => {
  actors = await actorsOf(credentials);
  receiver = await new Receiver().listen();
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await receiver.close();
});
beforeEach(() => {
  receiver.behave = (_, response) => response.writeHead(204).end();
});

interface Run {
  /** What it has printed so far: the output itself, and the notes beside it. */
  stdout: string;
  stderr: string;
  lines(): string[];
  stop(signal?: NodeJS.Signals): void;
  exit: Promise<number | null>;
}

function tillway(args: string[], env: NodeJS.ProcessEnv = {}, program?: string[]): Run {
  const [file, ...before] = program ?? [process.execPath, join(projectRoot, 'scripts/tillway.mjs')];
  const child = spawn(file!, [...before, ...args], {
    cwd: join(projectRoot, 'docs'),
    env: { ...process.env, NODE_OPTIONS: '', TILLWAY_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const run: Run = {
    stdout: '',
    stderr: '',
    lines: () => run.stdout.split('\n').filter(Boolean),
    stop: (signal = 'SIGINT') => void child.kill(signal),
    exit: new Promise((resolve) => child.once('close', resolve)),
  };
  child.stdout?.on('data', (chunk) => {
    run.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    run.stderr += chunk;
  });
  return run;
}

/** Runs to its end. */
async function ran(...args: string[]): Promise<Run & { code: number | null }> {
  const run = tillway(args);
  const code = await run.exit;
  return { ...run, code };
}

/** Starts a command that goes on, and waits until it follows the events. */
async function following(...args: string[]): Promise<Run> {
  const run = tillway(args);
  const ended = run.exit.then((code) => {
    throw new Error(`it ended with ${code}: ${run.stderr}`);
  });
  const listens = until('it listens', async () => run.stderr.includes('Ctrl-C ends'));
  await Promise.race([listens, ended]);
  return run;
}

const linesAbout = (run: Run, paymentId: string) => run.lines().filter((line) => line.includes(paymentId));

test('it explains itself, and says what it did not understand with exit code 2', async () => {
  const help = await ran('help');
  expect([help.code, help.stderr]).toEqual([0, '']);
  for (const command of ['listen', 'trigger', 'resend', 'tail']) {
    expect(help.stdout).toContain(command);
    const { code, stdout } = await ran(command, '--help');
    expect([code, stdout.startsWith(`Usage: npx tillway ${command}`)]).toEqual([0, true]);
  }
  for (const wrong of [
    [],
    ['dance'],
    ['tail', '--loud'],
    ['listen'],
    ['listen', '--forward-to', 'not a url'],
    ['trigger'],
    ['trigger', 'payment.stolen'],
    ['resend'],
    ['tail', '--client-id', 'x'],
  ]) {
    const { code, stdout, stderr } = await ran(...wrong);
    expect([wrong, code, (stdout + stderr).includes('npx tillway')]).toEqual([wrong, 2, true]);
  }
});

test('without a platform it says so in one line, with exit code 1', async () => {
  const nowhere = tillway(['tail'], { TILLWAY_HOME: join(home, 'none') });
  expect([await nowhere.exit, nowhere.stderr]).toEqual([1, expect.stringMatching(/^tillway: .*npm start.*\n$/)]);
  const away = await ran('tail', '--api-url', 'http://127.0.0.1:9');
  expect([away.code, away.stderr]).toEqual([1, expect.stringMatching(/^tillway: nothing answers at .*\n$/)]);
  const account = ['--organization-id', credentials.organizationId, '--client-id', 'cli_x', '--client-secret', 'wrong'];
  const stranger = await ran('tail', ...account);
  expect([stranger.code, stranger.stderr]).toEqual([
    1,
    expect.stringMatching(/^tillway: signing in as cli_x .*401\n$/),
  ]);
});

test('npx finds it in the clone, from any folder of it', async () => {
  const run = tillway(['trigger', '--list'], { NPM_CONFIG_REGISTRY: 'http://127.0.0.1:9' }, ['npx', 'tillway']);
  expect(await run.exit).toBe(0);
  expect(run.lines()).toHaveLength(Object.keys(SCENARIOS).length);
});

test('listen sends every event to a local server as a notification would be, and prints each answer', async () => {
  const listen = await following(
    'listen',
    '--forward-to',
    receiver.url('/hook').replace('http://127.0.0.1', 'localhost'),
  );
  expect(listen.stderr).toContain(credentials.callbackSecret);
  const { paymentId } = await actors.merchant.paid(CARDS.visa);
  await until('both are forwarded', async () => linesAbout(listen, paymentId).length === 2);
  const [captured, settled] = linesAbout(listen, paymentId);
  expect(captured).toMatch(/^[\d:.]+Z {2}payment\.captured +pay_\w+ {2}10\.00 EUR {2}-> 204 in \d+ ms$/);
  expect(settled).toContain('payment.settled');
  const got = receiver.received.filter(({ body }) => body.includes(paymentId));
  expect(got).toHaveLength(2);
  for (const request of got) expect(isGenuine(request, credentials.callbackSecret)).toBe(true);
  const [first] = got.map(({ body }) => JSON.parse(body));
  expect(Object.keys(first)).toEqual(['id', 'type', 'createdAt', 'data']);
  expect(got[0]!.headers).toMatchObject({ 'webhook-id': first.id, 'content-type': 'application/json' });
  expect(first).toMatchObject({ type: 'payment.captured', data: { paymentId, transactionStatus: 'captured' } });

  receiver.behave = (_, response) => response.writeHead(500).end();
  const refused = await actors.merchant.paid(CARDS.declined, {}, ['failed']);
  await until('it is forwarded', async () => linesAbout(listen, refused.paymentId).length === 1);
  expect(linesAbout(listen, refused.paymentId)[0]).toContain('-> 500 (the answer is not a success)');
  listen.stop();
  expect(await listen.exit).toBe(0);
});

test('listen for another merchant signs with a secret of its own', async () => {
  const { organizationId, clients } = credentials.other;
  const { clientId, clientSecret } = clients.merchant;
  const account = ['--organization-id', organizationId, '--client-id', clientId, '--client-secret', clientSecret];
  const listen = await following('listen', '--forward-to', receiver.url('/other'), ...account);
  const secret = /callback secret (\S+)/.exec(listen.stderr)?.[1] ?? '';
  expect(secret.length).toBeGreaterThan(20);
  const { merchant } = await actorsOf(credentials, credentials.other);
  await actors.merchant.paid(CARDS.visa);
  const { paymentId } = await merchant.paid(CARDS.visa);
  await until('it is forwarded', async () => linesAbout(listen, paymentId).length > 0);
  const got = receiver.received.filter(({ path }) => path === '/other');
  expect(got.every(({ body }) => JSON.parse(body).data.paymentId === paymentId)).toBe(true);
  expect(isGenuine(got[0]!, secret)).toBe(true);
  listen.stop('SIGTERM');
  expect(await listen.exit).toBe(0);
});

test('trigger brings about each event that it lists', async () => {
  // The payer has fifteen minutes.
  const events = Object.keys(SCENARIOS).filter((event) => event !== 'payment.expired');
  const outcomes: [string, number | null, string | undefined][] = [];
  const queue = [...events];
  await Promise.all(
    [1, 2, 3, 4].map(async () => {
      for (let event = queue.pop(); event; event = queue.pop()) {
        const run = await ran('trigger', event);
        outcomes.push([event, run.code, run.lines().at(-1)?.split(/ +/)[1]]);
      }
    }),
  );
  expect(outcomes.sort()).toEqual(events.map((event) => [event, 0, event]).sort());
});

test('resend sends one notification again, or all of a payment, and tells what came back', async () => {
  const path = `/${transactionId()}`;
  const { code, lines } = await ran('trigger', 'payment.settled', '--notification-url', receiver.url(path));
  expect(code).toBe(0);
  const paymentId = lines()[0]!.split(/ +/)[2]!;
  const told = await until('both are told', async () => receiver.at(path).length === 2 && receiver.at(path));
  const one = await ran('resend', told[0].id);
  expect([one.code, one.lines()]).toEqual([0, [expect.stringMatching(/payment\.captured .* -> 204 in \d+ ms$/)]]);
  const all = await ran('resend', paymentId);
  expect([all.code, all.lines()]).toEqual([
    0,
    [expect.stringContaining('payment.captured'), expect.stringContaining('payment.settled')],
  ]);
  expect(receiver.at(path).map(({ id }) => id)).toEqual([0, 1, 0, 0, 1].map((nth) => told[nth].id));

  receiver.behave = (_, response) => response.writeHead(404).end();
  const refused = await ran('resend', told[1].id);
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('-> 404 (the answer is not a success)')]);
  expect(await ran('resend', 'ntf_none')).toMatchObject({ code: 1, stderr: expect.stringContaining('404') });
  const silent = await actors.merchant.paid(CARDS.visa);
  const none = await ran('resend', silent.paymentId);
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('has no notifications')]);
});

test('tail prints what happens, one event a line, and nothing else to its output', async () => {
  const { merchant } = actors;
  const { paymentId } = (await merchant.pay(CARDS.visa, { capture: 'manual' })).body.data;
  const [words, json] = await Promise.all([following('tail'), following('tail', '--json', '--payment', paymentId)]);
  const other = await merchant.paid(CARDS.declined, {}, ['failed']);
  await merchant.cancel(paymentId);
  await until('both have it', async () => json.lines().length > 0 && linesAbout(words, paymentId).length > 0);
  await until('the other one', async () => linesAbout(words, other.paymentId).length > 0);
  expect(linesAbout(words, other.paymentId)[0]).toMatch(/payment\.failed .* The card was declined\.$/);
  const events: Json[] = json.lines().map((line) => JSON.parse(line));
  expect(events).toMatchObject([{ type: 'payment.cancelled', data: { paymentId, transactionStatus: 'cancelled' } }]);
  for (const run of [words, json]) run.stop();
  expect([await words.exit, await json.exit]).toEqual([0, 0]);
});

test('sign-in prints with what a person of the sandbox signs in to the console', async () => {
  const run = tillway(['sign-in', 'ops']);
  expect(await run.exit).toBe(0);
  const said = Object.fromEntries(run.lines().map((line) => line.split(/ +/)));
  const { email, password, totpSecret } = credentials.users.ops;
  expect(said).toMatchObject({ Console: `${credentials.apiUrl}/console`, 'E-mail': email, Password: password });
  expect(await verify({ secret: totpSecret, token: said.Code!, epochTolerance: 60 })).toMatchObject({ valid: true });
  expect(await tillway(['sign-in', 'nobody']).exit).toBe(2);
});
