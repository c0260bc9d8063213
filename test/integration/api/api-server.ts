import { randomBytes } from 'node:crypto';
import type { AddressInfo, Server } from 'node:net';
import { Writable } from 'node:stream';
import pino from 'pino';
import { tokenEndpoints } from '../../../src/api/identity/token-endpoint';
import { withReference } from '../../../src/api/reference/reference';
import { type App, createApp } from '../../../src/api/server/app';
import { sourceAddressOf } from '../../../src/api/server/middleware/source-address';
import type { RawMount, Route } from '../../../src/api/server/route';
import { SecurityEvents } from '../../../src/foundation/audit-log/security-events';
import { type Config, loadConfig } from '../../../src/foundation/config/config';
import { type Database, openDatabase } from '../../../src/foundation/db/database';
import { writeCatalogue } from '../../../src/money/routing/method-catalogue';
import { CallbackSecrets } from '../../../src/people/identity/callback-secrets';
import { type SeededSandbox, seedSandbox } from '../../../src/sandbox/seed/tenants';
import { testLogins } from '../../setup/environment';

const KEYS = {
  VAULT_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  VAULT_HMAC_KEY: Buffer.alloc(32, 2).toString('base64'),
};

export interface ApiServer {
  app: App;
  database: Database;
  config: Config;
  seeded: SeededSandbox;
  baseUrl: string;
  /** Every log line so far. */
  log: string[];
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** A bearer token of this client, made by the real endpoint. */
  tokenOf(client: { clientId: string; clientSecret: string }): Promise<string>;
  close(): Promise<void>;
}

export interface CallOptions {
  token?: string;
  headers?: Record<string, string>;
  /** An object is sent as JSON, text as it is. */
  body?: unknown;
}

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  json: any;
}

export interface ServerOptions {
  routes?: Route[];
  rawMounts?: RawMount[];
  env?: Record<string, string>;
  /** One login for all; absent: the database of this jest worker, with a login for each role. */
  databaseUrl?: string;
  /** Tenants of a server that was started before on the same database. */
  seeded?: ApiServer['seeded'];
}

/** The API's frame around the given routes, on real Postgres. */
export async function startApi(options: ServerOptions = {}): Promise<ApiServer> {
  const urls = options.databaseUrl ? { url: options.databaseUrl } : testLogins();
  const config = loadConfig({ ...KEYS, NODE_ENV: 'test', DATABASE_URL: urls.url, ...options.env });
  const database = openDatabase(urls, 8, 'tillway-test');
  await writeCatalogue(database.system);
  // Wrong tries of a test file before this one.
  await database.system('sign_in_failures').delete();
  const seeded =
    options.seeded ?? (await seedSandbox(database.system, new CallbackSecrets(KEYS.VAULT_KEYS), undefined));
  const log: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      log.push(String(chunk));
      done();
    },
  });
  const logger = pino({ level: 'info' }, sink);
  const sourceOf = sourceAddressOf(config.trustedProxies);
  const securityEvents = new SecurityEvents(database.system);
  const app = createApp({
    config,
    database,
    logger,
    routes: withReference(options.routes ?? []).routes,
    rawMounts: [
      ...tokenEndpoints({ config, database, securityEvents, sourceOf, log: logger }),
      ...(options.rawMounts ?? []),
    ],
  });
  await app.start();
  const server: Server = await new Promise((resolve) => {
    const listening = app.koa.listen(0, '127.0.0.1', () => resolve(listening));
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function call(method: string, path: string, { token, headers = {}, body }: CallOptions = {}): Promise<Reply> {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  }

  return {
    app,
    database,
    config,
    seeded,
    baseUrl,
    log,
    call,
    async tokenOf({ clientId, clientSecret }) {
      const reply = await call('POST', '/auth/1.0.0/token', {
        headers: {
          authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      });
      if (reply.status !== 200) throw new Error(`no token: ${reply.status} ${reply.text}`);
      return reply.json.access_token;
    },
    async close() {
      await new Promise((resolve) => {
        server.close(resolve);
        (server as unknown as { closeAllConnections(): void }).closeAllConnections();
      });
      await app.close();
      await database.close();
    },
  };
}

export function unique(prefix: string): string {
  return `${prefix}-${randomBytes(6).toString('hex')}`;
}
