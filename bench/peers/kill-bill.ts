import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Pool } from 'undici';
import type { BareOrder } from '../bare-engine';
import { closedLoop } from '../load';
import { freePort } from '../platform';

/** Kill Bill takes the payments of one account one after the other. */
const ACCOUNTS = 200;
const READY_WITHIN_MS = 300_000;
const LIBRARIES = 'WEB-INF/lib';
/** The modules that have tables, in the order of their keys. */
const MODULES = 'account beatrix catalog entitlement invoice payment subscription tenant usage util'.split(' ');
/** What its libraries open by reflection, which Java 17 allows only by name. */
const OPENED = [
  'java.lang java.util java.util.concurrent java.io java.net java.text sun.nio.ch sun.net.www.content.text',
  'sun.net.www.protocol.file sun.net.www.protocol.ftp sun.net.www.protocol.http sun.net.www.protocol.https sun.net.www.protocol.jar',
].flatMap((names) => names.split(' ').map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`));

/** By default each request hashes the tenant's secret 200,000 times, which is all that would be measured. */
const CHEAP_SECRETS = 'org.killbill.security.shiroNbHashIterations=1';
/** Ours logs warnings too. */
const QUIET = `<configuration><appender name="out" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%d %p %m%n</pattern></encoder></appender>
<root level="WARN"><appender-ref ref="out"/></root></configuration>`;

/**
 * Kill Bill over HTTP with the external payment plugin that it brings: purchases, and an authorization with its capture.
 * Nothing leaves it: no processor is asked, no card is kept. Arguments: a folder to work in, the war, Jetty, an empty
 * database.
 */
async function main(): Promise<void> {
  const [folder, war, jetty, url] = process.argv.slice(2) as [string, string, string, string];
  mkdirSync(folder, { recursive: true });
  await createTables(folder, war, url);
  const port = await freePort();
  const java = startJava({ folder, war, jetty, url: new URL(url), port });
  process.once('exit', () => java.kill('SIGKILL'));
  process.once('disconnect', () => process.exit(0));
  const server = new Pool(`http://127.0.0.1:${port}`, { connections: 80 });
  await isReady(server, java);
  const accounts = await createAccounts(server);
  const pay = async (transactionType: string) => {
    const account = accounts[Math.floor(Math.random() * accounts.length)]!;
    const order = { transactionType, amount: 10, currency: 'EUR' };
    return post(server, `/1.0/kb/accounts/${account}/payments`, order);
  };
  const shapes = {
    oneStep: () => pay('PURCHASE'),
    twoSteps: async () => {
      const payment = await pay('AUTHORIZE');
      await post(server, `/1.0/kb/payments/${payment}`, { transactionType: 'CAPTURE', amount: 10, currency: 'EUR' });
    },
  };
  process.on('message', async (order: BareOrder & { shape: keyof typeof shapes }) => {
    process.send!(await closedLoop(order.concurrency, order.durationMs, shapes[order.shape]));
  });
  process.send!('ready');
}

/** Its tables, whose statements lie in its libraries. */
async function createTables(folder: string, war: string, url: string): Promise<void> {
  execFileSync('unzip', ['-q', '-o', war, `${LIBRARIES}/killbill-*`, '-d', folder]);
  const read = (library: string, file: string) =>
    execFileSync('unzip', ['-p', join(folder, LIBRARIES, `killbill-${library}.jar`), file], { encoding: 'utf8' });
  const version = /killbill-([\d.]+)\.war$/.exec(war)![1];
  const [queue] = execFileSync('ls', [join(folder, LIBRARIES)], { encoding: 'utf8' }).match(/queue-[\d.]+\d/)!;
  const statements = [
    read(`util-${version}`, 'org/killbill/billing/util/ddl-postgresql.sql'),
    ...MODULES.map((name) => read(`${name}-${version}`, `org/killbill/billing/${name}/ddl.sql`)),
    read(queue, 'org/killbill/queue/ddl.sql'),
  ];
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

interface Start {
  folder: string;
  war: string;
  jetty: string;
  url: URL;
  port: number;
}

function startJava({ folder, war, jetty, url, port }: Start): ChildProcess {
  const [properties, bundles] = [join(folder, 'kill-bill.properties'), join(folder, 'bundles')];
  for (const kind of ['platform', 'plugins']) mkdirSync(join(bundles, kind), { recursive: true });
  const access = ['org.killbill.dao', 'org.killbill.billing.osgi.dao'].flatMap((dao) => [
    `${dao}.url=jdbc:postgresql://${url.host}${url.pathname}`,
    `${dao}.user=${decodeURIComponent(url.username)}`,
    `${dao}.password=${decodeURIComponent(url.password)}`,
  ]);
  const settings = [...access, `org.killbill.osgi.bundle.install.dir=${bundles}`, CHEAP_SECRETS];
  writeFileSync(properties, settings.join('\n'), { mode: 0o600 });
  const logging = join(folder, 'logback.xml');
  writeFileSync(logging, QUIET);
  const log = openSync(join(folder, 'kill-bill.log'), 'a', 0o600);
  const options = [
    '-Xmx1g',
    '-Duser.timezone=UTC',
    `-Dorg.killbill.server.properties=file://${properties}`,
    `-Dlogback.configurationFile=${logging}`,
  ];
  const program = ['-jar', jetty, '--host', '127.0.0.1', '--port', `${port}`, war];
  return spawn('java', [...OPENED, ...options, ...program], { cwd: folder, stdio: ['ignore', log, log] });
}

/** Until it makes a tenant. Its health check is no sign: on a busy machine it calls slow connections ill. */
async function isReady(server: Pool, java: ChildProcess): Promise<void> {
  for (const giveUpAt = Date.now() + READY_WITHIN_MS; ; await sleep(1_000)) {
    const tenant = await post(server, '/1.0/kb/tenants', { apiKey: KEY, apiSecret: KEY }).catch(
      (error: Error) => error,
    );
    if (typeof tenant === 'string') return;
    if (java.exitCode !== null || Date.now() > giveUpAt)
      throw new Error(`Kill Bill does not come up (kill-bill.log): ${tenant.message}`);
  }
}

async function createAccounts(server: Pool): Promise<string[]> {
  const accounts: string[] = [];
  for (let n = 0; n < ACCOUNTS; n += 1) {
    const id = await post(server, '/1.0/kb/accounts', { name: `Payer ${n}`, currency: 'EUR' });
    const method = { pluginName: '__EXTERNAL_PAYMENT__', pluginInfo: {} };
    await post(server, `/1.0/kb/accounts/${id}/paymentMethods?isDefault=true`, method);
    accounts.push(id);
  }
  return accounts;
}

const KEY = `bench-${randomUUID()}`;
const HEADERS = {
  'content-type': 'application/json',
  // The user that every installation has.
  authorization: `Basic ${Buffer.from('admin:password').toString('base64')}`,
  'x-killbill-apikey': KEY,
  'x-killbill-apisecret': KEY,
  'x-killbill-createdby': 'bench',
};

/** The id of what was made, which the answer names by its address. */
async function post(server: Pool, path: string, body: object): Promise<string> {
  const {
    statusCode,
    headers,
    body: answer,
  } = await server.request({
    method: 'POST',
    path,
    headers: HEADERS,
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (statusCode >= 300) throw new Error(`${path}: ${statusCode} ${text.slice(0, 200)}`);
  return new URL(String(headers.location)).pathname.split('/').filter(Boolean).at(-1)!;
}

main().catch((error: Error) => {
  console.error(error.stack);
  process.exit(1);
});
