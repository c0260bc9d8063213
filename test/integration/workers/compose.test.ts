import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { Connection } from '@temporalio/client';
import { generate } from 'otplib';
import { parse } from 'yaml';
import { openDatabase } from '../../../src/foundation/db/database';
import { createClient } from '../../../src/people/identity/clients';
import { Caller, send, until } from '../../e2e/client';
import { choosePassword, PASSWORD, TOKEN, TOTP } from '../../e2e/staff';
import { createTestDatabase } from '../../setup/environment';
import { freePorts } from '../../setup/ports';
import { projectRoot } from '../../setup/project';
import { startEngine } from '../../setup/services';

/**
 * What docker-compose.yml starts, started as processes: its commands, its environment, secrets made as it makes them. Only
 * addresses are of this machine. The engine stands behind mutual TLS with the certificates that were made.
 */

interface Service {
  command: string[];
  environment: Record<string, string>;
}

const compose = parse(readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};
const GIVEN: Record<string, string> = {
  PUBLIC_URL: 'https://pay.example',
  TRUSTED_PROXIES: '10.0.0.1',
  PROCESSOR_URLS: JSON.stringify({ a: 'https://a.example/v1' }),
};

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let engine: Awaited<ReturnType<typeof startEngine>>;
let folder: string;
let ports: number[];
let gate: Server;
const running: ChildProcess[] = [];
let said = '';

const makeSecrets = () =>
  execFileSync(process.execPath, [join(projectRoot, 'dist/workers/make-secrets.js'), folder], { encoding: 'utf8' });
const secret = (name: string) => readFileSync(join(folder, name), 'utf8');

beforeAll(async () => {
  place = await createTestDatabase('compose');
  engine = await startEngine();
  folder = join(mkdtempSync(join(tmpdir(), 'tillway-compose-')), 'secrets');
  ports = await freePorts(4);
  makeSecrets();
  gate = mutualTls();
  await new Promise<void>((resolve) => gate.listen(ports[3], '127.0.0.1', resolve));
});
afterAll(async () => {
  await Promise.all(running.map(end));
  gate?.close();
  await engine?.stop();
  await place?.drop();
  if (folder) rmSync(join(folder, '..'), { recursive: true, force: true });
});

/** Takes who shows a certificate of the authority to the engine. */
function mutualTls(): Server {
  const [host = '', port] = engine.address.split(':');
  return createServer(
    {
      cert: secret('engine_server_cert'),
      key: secret('engine_server_key'),
      ca: secret('engine_ca'),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (client) => {
      const behind = connect(Number(port), host);
      client.pipe(behind).pipe(client);
      client.on('error', () => undefined).on('close', () => behind.destroy());
      behind.on('error', () => undefined).on('close', () => client.destroy());
    },
  ).on('tlsClientError', () => undefined);
}

/** The environment of a service, with the addresses of this machine. */
function environmentOf(service: string): NodeJS.ProcessEnv {
  const given = Object.entries(compose.services[service]!.environment).map(([name, value]) => [
    name,
    String(value)
      .replace(/\$\{(\w+)(?::\?|:-([^}]*))?\}/g, (_, variable: string, fallback = '') => GIVEN[variable] ?? fallback)
      .replace('/run/secrets', folder),
  ]);
  return {
    ...Object.fromEntries(given),
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: String(ports[0]),
    METRICS_PORT: String(ports[1]),
    AUTH_PORT: String(ports[2]),
    TEMPORAL_ADDRESS: `localhost:${ports[3]}`,
    TILLWAY_HOME: folder,
  };
}

function start(service: string): ChildProcess {
  const [, ...args] = compose.services[service]!.command;
  const child = spawn(process.execPath, args, {
    cwd: projectRoot,
    env: environmentOf(service),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (said += chunk));
  running.push(child);
  return child;
}

const ended = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('exit', resolve));

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = ended(child);
  child.kill('SIGTERM');
  await end;
}

const api = () => `http://127.0.0.1:${ports[0]}`;
const token = (clientId: string, clientSecret: string) =>
  send(`${api()}/auth/1.0.0/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });

test('secrets are made once, in a folder that nobody else may open', () => {
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const before = secret('vault_keys');
  expect(makeSecrets()).toBe('made: nothing, all are there\n');
  expect(secret('vault_keys')).toBe(before);
  for (const name of ['database_url', 'database_system_url', 'database_ops_url', 'database_admin_url'])
    expect(new URL(secret(name)).password).toHaveLength(48);
  expect(new URL(secret('database_admin_url')).password).toBe(secret('postgres_admin_password'));
});

test('the engine takes nobody without a certificate', async () => {
  const tls = { serverRootCACertificate: Buffer.from(secret('engine_ca')) };
  const address = `localhost:${ports[3]}`;
  await expect(Connection.connect({ address, tls, connectTimeout: 3_000 })).rejects.toThrow();
});

test('without a secret that only the operator has, nothing starts', async () => {
  const prepare = start('prepare');
  expect(await ended(prepare)).toBe(1);
  expect(said).toContain('PROCESSOR_SECRETS has no secret of processor a, which has an address: add it');
});

test('prepare, API and worker start and are ready', async () => {
  const { url, systemUrl, opsUrl } = place.logins;
  const filled = {
    processor_secrets: JSON.stringify({ a: secret('vault_hmac_key').slice(0, 40) }),
    database_url: url,
    database_system_url: systemUrl,
    database_ops_url: opsUrl,
    database_admin_url: place.adminUrl,
  };
  for (const [name, content] of Object.entries(filled)) {
    rmSync(join(folder, name));
    writeFileSync(join(folder, name), content);
  }
  said = '';
  expect(await ended(start('prepare'))).toBe(0);
  expect(said).toMatch(/schema, logins and method catalogue are up to date\nsearch attributes added: .+\n$/);
  start('worker');
  start('api');
  await until('the platform is ready', async () => {
    for (const child of running.slice(2)) if (child.exitCode !== null) throw new Error(said);
    return (await send(`${api()}/health/ready`).catch(() => undefined))?.status === 200;
  });
});

test('the first operator comes by a link that works once, and needs a second factor before anything else', async () => {
  const command = join(projectRoot, 'dist/workers/first-operator.js');
  const invite = (...args: string[]) =>
    new Promise<{ code: unknown; told: string }>((resolve) => {
      execFile(process.execPath, [command, ...args], { env: environmentOf('api') }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, told: stdout + stderr }),
      );
    });
  const tokenIn = (text: string) => /^https:\/\/pay\.example\/onboarding\/password\?token=([\w-]+)\n/.exec(text)![1]!;
  expect(await invite('Ada\nLovelace', 'ada@example.com')).toMatchObject({
    code: 1,
    told: expect.stringMatching(/^usage: /),
  });
  // The first link was lost, and its address was wrong.
  const lost = await invite('Ada Lovelace', 'ada@exmaple.com');
  const { code, told } = await invite('Ada Lovelace', 'ada@example.com');
  expect(code).toBe(0);
  expect((await choosePassword(api(), tokenIn(lost.told))).body.code).toBe('link_unusable');
  expect((await choosePassword(api(), tokenIn(told))).status).toBe(200);
  expect((await choosePassword(api(), tokenIn(told), 'another-plum-orbit-43')).body.code).toBe('link_unusable');

  const body = { email: 'ada@example.com', password: PASSWORD };
  const { body: signedIn } = await send(`${api()}${TOKEN}`, { method: 'POST', body });
  const ada = new Caller(api(), { authorization: `Bearer ${signedIn.access_token}` });
  const users = '/identity/1.0.0/users';
  expect(await ada.get(users)).toMatchObject({ status: 403, body: { code: 'second_factor_missing' } });
  const { secret: authenticator } = (await ada.post(TOTP)).body;
  await ada.post(`${TOTP}/confirm`, { code: await generate({ secret: authenticator }) });
  const { data } = (await ada.get(users)).body;
  expect(data).toEqual([expect.objectContaining({ name: 'Ada Lovelace', role: 'ops', state: 'active' })]);
  const lines = (await ada.get('/identity/1.0.0/audit?actor=first%20operator')).body.data;
  expect(lines.map(({ action }: { action: string }) => action)).toEqual(['user.invite', 'user.remove', 'user.invite']);
  // Whoever has the machine makes no second one beside her.
  expect(await invite('Mallory', 'mallory@example.com')).toEqual({
    code: 1,
    told: 'There is an operator already, who can invite others\n',
  });
  expect((await ada.get(users)).body.data).toHaveLength(1);
});

test('the platform knows who may, and has nothing of the sandbox', async () => {
  const database = openDatabase(place.logins, 2);
  const clientSecret = await createClient(database.system, { id: 'cli_of_ops', role: 'ops', name: 'Ops' });
  await database.close();
  expect((await token('cli_of_ops', 'wrong')).status).toBe(401);
  const { body } = await token('cli_of_ops', clientSecret);
  const authorization = `Bearer ${body.access_token}`;
  const path = `${api()}/ops/1.0.0/interventions`;
  expect((await send(path)).status).toBe(401);
  expect(await send(path, { headers: { authorization } })).toMatchObject({ status: 200, body: { data: [] } });

  // Receivers of processors in use, and of no others; none for tests; nothing of the sandbox.
  const statusOf = async (callback: string) =>
    (await send(`${api()}/callbacks/${callback}`, { method: 'POST', body: '{}' })).status;
  expect(await statusOf('processor_a')).toBe(401);
  for (const none of ['processor_c', 'stripe', 'test/json']) expect([none, await statusOf(none)]).toEqual([none, 404]);
  expect((await send(`${api()}/sandbox/mailbox?to=a@b.example`)).status).toBe(404);
  for (const name of ['vault_hmac_key', 'processor_secrets']) expect(said).not.toContain(secret(name));
});
