import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import Joi from 'joi';
import { ConfigError, count, ms, oneOf, port, type Setting, text, textLike, textOr, url } from './setting';
import type { Group } from './values';

const SOURCES = resolve(__dirname, '../..');
const ROOT = resolve(SOURCES, SOURCES.endsWith(join('dist', 'src')) ? '../..' : '..');

/** What runs, and where. */
export const running = {
  env: oneOf(
    'NODE_ENV',
    ['development', 'test', 'production'],
    'development',
    '`production` starts only the platform itself, and refuses to start when something is unsafe: [production' +
      '](operations.md#production). With any other value this is the sandbox',
  ),
  logLevel: oneOf(
    'LOG_LEVEL',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'info',
    'The least important log lines that are written',
  ),
  host: textOr(
    'HOST',
    '127.0.0.1',
    'The address that the API, the metrics and the simulator listen on. The embedded engine and database always ' +
      'listen on loopback',
  ),
  sandboxIsPublic: oneOf(
    'SANDBOX_PUBLIC',
    ['0', '1'],
    '0',
    'Whether a sandbox may listen on a `HOST` that other machines can reach. Its secrets and mailbox are for whoever ' +
      'reaches it: set `1` only in a network that you trust',
  ).as((word) => word === '1'),
  ports: {
    api: port(
      'PORT',
      8080,
      'The API and its reference (`/docs`), the callback receivers, the codec server, the password pages',
    ),
    auth: port(
      'AUTH_PORT',
      8443,
      'The entrance of third-party providers (open banking), by mutual TLS: the authorization server and all that it ' +
        'lets them do',
    ),
    simulator: port('SIMULATOR_PORT', 8090, 'The processor simulator (sandbox)'),
    temporal: port('TEMPORAL_PORT', 7233, 'The embedded Temporal server'),
    temporalUi: port(
      'TEMPORAL_UI_PORT',
      8233,
      'The web pages of the embedded Temporal server. Pages on this port may ask the API to decrypt payloads',
    ),
    postgres: port('POSTGRES_PORT', 5433, 'The embedded Postgres'),
    metrics: port('METRICS_PORT', 9464, 'Prometheus metrics (`/metrics`)'),
    /** Where the sandbox's mailbox takes e-mails. */
    mailboxSmtp: port('MAILBOX_SMTP_PORT', 1025, "The SMTP server of the simulator's mailbox (sandbox)"),
  },
  publicUrl: url(
    'PUBLIC_URL',
    ['http', 'https'],
    'How others reach the API, for links, payer pages and callbacks',
  ).showing('`HOST` and `PORT`'),
  tls: {
    certPath: text('TLS_CERT', 'The certificate chain that the API serves. Set it together with `TLS_KEY`', {
      form: 'PEM file',
    }),
    keyPath: text('TLS_KEY', 'The private key of that certificate', { form: 'PEM file' }),
  },
  trustedProxies: text(
    'TRUSTED_PROXIES',
    'The proxies in front of the API that end TLS. The API believes `X-Forwarded-For` from these addresses only',
    { form: 'addresses and CIDR ranges, comma separated', mayBeEmpty: true },
  ).as(proxiesIn),
  home: textOr(
    'TILLWAY_HOME',
    join(ROOT, '.tillway'),
    'Holds the data of the embedded parts, `credentials.json`, `secrets.json` and the logs. One platform at a time ' +
      'can use it',
    'folder',
  )
    .as((path) => resolve(path))
    .showing('`.tillway/` in the project'),
  cache: textOr(
    'TILLWAY_CACHE',
    join(homedir(), '.cache', 'tillway'),
    'Keeps the Temporal executable after it was fetched or built once',
    'folder',
  ).showing("`.cache/tillway/` in the user's home"),
  workers: count('TILLWAY_WORKERS', 1, 'How many worker processes `npm start` runs'),
} satisfies Group;

/** Database and engine. */
export const engine = {
  database: {
    url: url(
      'DATABASE_URL',
      ['postgres', 'postgresql'],
      'Postgres, with the login for the work of one tenant at a time: `tillway_app` when the next two are set too. ' +
        'Without it an embedded one runs in `TILLWAY_HOME/postgres`',
      { secret: true },
    ),
    systemUrl: url(
      'DATABASE_SYSTEM_URL',
      ['postgres', 'postgresql'],
      'The same database, with the login `tillway_system` for work across tenants. Set it together with ' +
        '`DATABASE_OPS_URL`: [database logins](operations.md#database-logins). Without the two, everything uses ' +
        '`DATABASE_URL` and steps down by `SET ROLE`, and the start warns',
      { secret: true },
    ),
    opsUrl: url(
      'DATABASE_OPS_URL',
      ['postgres', 'postgresql'],
      "The same database, with the login `tillway_ops` for operators' reads",
      { secret: true },
    ),
    directUrl: url(
      'DATABASE_DIRECT_URL',
      ['postgres', 'postgresql'],
      'The same database without a pooler before it, with the login of `DATABASE_URL`, for notifications of Postgres ' +
        'and locks of sessions: [PgBouncer](operations.md#pgbouncer)',
      { secret: true },
    ).showing('that of `DATABASE_URL`'),
    adminUrl: url(
      'DATABASE_ADMIN_URL',
      ['postgres', 'postgresql'],
      'The same database, with the role that owns its schema, and without a pooler before it. Only migrations use ' +
        'it. Without it migrations use `DATABASE_URL`, and the start warns',
      { secret: true },
    ),
    pool: count(
      'DATABASE_POOL',
      16,
      'The most connections that one process opens for the work of tenants. It opens at most half as many (2 or ' +
        "more) for work across tenants, and 4 for operators' reads",
    ),
    acquireMs: ms(
      'DATABASE_ACQUIRE_MS',
      1_500,
      'How long a request waits for one of these connections. Then the API answers 503, and the caller can try again',
    ),
  },
  temporal: {
    address: textLike(
      'TEMPORAL_ADDRESS',
      /^[^:/\s]+:\d+$/,
      '`host:port`',
      'A Temporal server. Without it an embedded one runs. The start adds the search attributes that the server lacks',
    ),
    namespace: textOr('TEMPORAL_NAMESPACE', 'default', 'The namespace on that server'),
    acceptMs: ms(
      'TEMPORAL_ACCEPT_MS',
      3_000,
      'How long a request waits for that server to accept a start or a signal. Then what was written down is carried out ' +
        'later, and a new payment answers 503, taken back',
    ),
    tls: {
      caPath: text(
        'TEMPORAL_TLS_CA',
        'The certificate authority of that server, for TLS. Without it, those that this machine trusts',
        { form: 'PEM file', mayBeEmpty: true },
      ),
      certPath: text(
        'TEMPORAL_TLS_CERT',
        'The client certificate that we show that server (mutual TLS). Set it together with `TEMPORAL_TLS_KEY`',
        { form: 'PEM file', mayBeEmpty: true },
      ),
      keyPath: text('TEMPORAL_TLS_KEY', 'The private key of that certificate', { form: 'PEM file', mayBeEmpty: true }),
      serverName: text(
        'TEMPORAL_TLS_SERVER_NAME',
        'The name in the certificate of that server, where it is not the one in `TEMPORAL_ADDRESS`',
        { form: 'host name', mayBeEmpty: true },
      ),
    },
    apiKey: text(
      'TEMPORAL_API_KEY',
      'An API key of that server (Temporal Cloud). It is sent over TLS only: [the engine](operations.md#the-engine)',
      { mayBeEmpty: true, secret: true },
    ),
    taskQueue: textOr(
      'TEMPORAL_TASK_QUEUE',
      'tillway',
      'The task queue that the workers serve. Deliveries to merchants use a second one with `-notifications` ' +
        'behind this name',
    ),
    uiUrl: url(
      'TEMPORAL_UI_URL',
      ['http', 'https'],
      'How operators reach the web pages of the Temporal server, for links from the console. In production, without it ' +
        'there are no such links',
    ).showing('`HOST` and `TEMPORAL_UI_PORT` in the sandbox'),
    binary: text('TILLWAY_TEMPORAL_BINARY', 'The Temporal executable to run. Without it the start looks for one', {
      form: 'file',
    }),
  },
  simulatorUrl: url(
    'SIMULATOR_URL',
    ['http', 'https'],
    'A processor simulator that runs elsewhere. With it, `npm start` starts none',
  ).showing('`HOST` and `SIMULATOR_PORT`'),
} satisfies Group;

/** Secrets, and the processors that they belong to. */
export const secrets = {
  keys: {
    vault: keyList(
      'VAULT_KEYS',
      'Keys for card data and other secrets. The first one encrypts, all of them decrypt. To rotate, put a new one ' +
        'in front: [keys](operations.md#keys)',
    ),
    fingerprint: text(
      'FINGERPRINT_KEYS',
      'Keys of the fingerprints by which cards are recognized. The first one makes them, all are looked up. `hmac` in the ' +
        'list stands for the key of before, derived from `VAULT_HMAC_KEY`, which is the one without this setting: [keys](operations.md#fingerprint-keys)',
      { form: '`id:base64 of 32 bytes` or `hmac`, comma separated', secret: true },
    ).as((value) => keysOf('FINGERPRINT_KEYS', value, ['hmac'])),
    vaultHmac: text(
      'VAULT_HMAC_KEY',
      'The key of PINs and request digests. If you change it, the stored ones match nothing any more',
      { form: 'base64 of at least 32 bytes', secret: true },
    ).as(hmacKeyIn),
    codec: keyList('CODEC_KEYS', 'Keys for what the engine stores'),
    processorSecrets: text(
      'PROCESSOR_SECRETS',
      'From processor letter to its secret, or to `{callbackKey, apiKey}`. `callbackKey` may be a public key (PEM). In ' +
        'production, of the processors in use',
      { form: 'JSON object', secret: true },
    ).as(processorSecretsIn),
    deviceWallet: text(
      'DEVICE_WALLET_KEYS',
      'Root keys and root certificates of the device wallets, and our private keys: [device-wallet ' +
        'tokens](wallets.md#keys). When it is absent or empty, the API refuses device-wallet tokens, in production ' +
        'too',
      { form: 'JSON object', mayBeEmpty: true, formerly: 'WALLET_KEYS', secret: true },
    ),
    deviceWalletIssuer: text(
      'DEVICE_WALLET_ISSUER_KEYS',
      'The keys with which the simulator issues device-wallet tokens (sandbox)',
      { form: 'JSON object', mayBeEmpty: true, formerly: 'WALLET_ISSUER_KEYS', secret: true },
    ),
  },
  processorUrls: text(
    'PROCESSOR_URLS',
    'From processor letter to the base address of its API. In production, these processors are in use and no others; ' +
      'each has an `https:` address and a secret in `PROCESSOR_SECRETS`. In the sandbox, a processor that is not named ' +
      'is expected at the simulator',
    { form: 'JSON object' },
  ).as(processorUrlsIn),
  stripe: {
    secretKey: text(
      'STRIPE_SECRET_KEY',
      'A secret or restricted API key of a Stripe account: [Stripe](stripe.md). Without it Stripe is off',
      { mayBeEmpty: true, secret: true },
    ),
    webhookSecret: text(
      'STRIPE_WEBHOOK_SECRET',
      'The signing secret of the webhook endpoint at Stripe. Set it together with `STRIPE_SECRET_KEY`',
      { mayBeEmpty: true, secret: true },
    ),
    apiUrl: url('STRIPE_API_URL', ['http', 'https'], "Another address for Stripe's API, such as that of stripe-mock"),
  },
} satisfies Group;

/** Keys as vault/keyring.ts reads them, checked here so that a start names the variable. The error quotes nothing. */
function keyList(name: string, meaning: string): Setting<string | undefined> {
  return text(name, meaning, { form: '`id:base64 of 32 bytes`, comma separated', mayBeEmpty: true, secret: true }).as(
    (value) => keysOf(name, value),
  );
}

/** `words`: what may stand in the list instead of a key. */
function keysOf(name: string, value: string | undefined, words: string[] = []): string | undefined {
  const isKey = (entry: string) => {
    const [id = '', key = ''] = entry.trim().split(':');
    return /^(?!kms-).{1,32}$/.test(id) && Buffer.from(key, 'base64').length === 32;
  };
  if (value === undefined || value.split(',').every((entry) => isKey(entry) || words.includes(entry.trim())))
    return value;
  throw new ConfigError(`${name} must be id:base64 of 32 bytes, comma separated`);
}

/** Checked here, because what cannot be decoded would silently be a short key. The error quotes nothing. */
function hmacKeyIn(value: string | undefined): string | undefined {
  if (value === undefined || (/^[\w+/-]+={0,2}$/.test(value) && Buffer.from(value, 'base64').length >= 32))
    return value;
  throw new ConfigError('VAULT_HMAC_KEY must be base64 of at least 32 bytes');
}

const credentials = Joi.object({ callbackKey: Joi.string().required(), apiKey: Joi.string().required() });
const secretsByProcessor = Joi.object()
  .pattern(/^[a-z]+$/, Joi.alternatives(Joi.string(), credentials))
  .required();

/** The text as it is, once it is known to be a JSON object of secrets. The error quotes nothing. */
function processorSecretsIn(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  try {
    Joi.assert(JSON.parse(value), secretsByProcessor);
    return value;
  } catch {
    throw new ConfigError('PROCESSOR_SECRETS must be a JSON object of processor letter to secret');
  }
}

const proxyList = Joi.array().items(Joi.string().ip({ version: ['ipv4', 'ipv6'], cidr: 'optional' }));

function proxiesIn(text = ''): string[] {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  if (proxyList.validate(entries).error)
    throw new ConfigError('TRUSTED_PROXIES takes addresses and CIDR ranges, comma separated');
  return entries;
}

const urlsByProcessor = Joi.object<Record<string, string>>()
  .pattern(/^[a-z]+$/, Joi.string().uri({ scheme: ['http', 'https'] }))
  .required();

function processorUrlsIn(text = '{}'): Record<string, string> {
  try {
    return Joi.attempt(JSON.parse(text), urlsByProcessor);
  } catch {
    throw new ConfigError('PROCESSOR_URLS must be a JSON object of processor to base address');
  }
}
