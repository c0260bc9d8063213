import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import Joi from 'joi';

const SOURCES = resolve(__dirname, '../..');
const ROOT = resolve(SOURCES, SOURCES.endsWith(join('dist', 'src')) ? '../..' : '..');

const port = (fallback: number) => Joi.number().port().min(1).default(fallback);
const millis = (fallback: number) => Joi.number().integer().min(0).default(fallback);
const count = (fallback: number) => Joi.number().integer().min(1).default(fallback);
const postgresUrl = Joi.string().uri({ scheme: ['postgres', 'postgresql'] });

/** Every environment variable the program reads, its form and its default. Times are milliseconds. */
const schema = Joi.object({
  NODE_ENV: Joi.string().valid('development', 'test', 'production').default('development'),
  LOG_LEVEL: Joi.string().valid('trace', 'debug', 'info', 'warn', 'error', 'silent').default('info'),

  HOST: Joi.string().default('127.0.0.1'),
  PORT: port(8080),
  AUTH_PORT: port(8443),
  SIMULATOR_PORT: port(8090),
  TEMPORAL_PORT: port(7233),
  TEMPORAL_UI_PORT: port(8233),
  POSTGRES_PORT: port(5433),
  METRICS_PORT: port(9464),
  MAILBOX_SMTP_PORT: port(1025),
  PUBLIC_URL: Joi.string().uri({ scheme: ['http', 'https'] }),
  TLS_CERT: Joi.string(),
  TLS_KEY: Joi.string(),
  TRUSTED_PROXIES: Joi.string().allow(''),

  DATABASE_URL: postgresUrl,
  DATABASE_ADMIN_URL: postgresUrl,
  DATABASE_POOL: count(16),
  TEMPORAL_ADDRESS: Joi.string().pattern(/^[^:/\s]+:\d+$/, 'host:port'),
  TEMPORAL_NAMESPACE: Joi.string().default('default'),
  TEMPORAL_TASK_QUEUE: Joi.string().default('tillway'),
  SIMULATOR_URL: Joi.string().uri({ scheme: ['http', 'https'] }),

  TILLWAY_HOME: Joi.string().default(join(ROOT, '.tillway')),
  TILLWAY_TEMPORAL_BINARY: Joi.string(),
  TILLWAY_CACHE: Joi.string().default(join(homedir(), '.cache', 'tillway')),
  TILLWAY_WORKERS: count(1),

  /** `id:base64 of 32 bytes`, comma separated; the first encrypts, all decrypt. */
  VAULT_KEYS: Joi.string(),
  VAULT_HMAC_KEY: Joi.string(),
  CODEC_KEYS: Joi.string(),
  /** JSON object, processor letter to callback secret. */
  PROCESSOR_SECRETS: Joi.string(),
  /** JSON, see docs/wallets.md. Empty: no wallet tokens. */
  WALLET_KEYS: Joi.string().allow(''),
  /** The simulator's side of it. */
  WALLET_ISSUER_KEYS: Joi.string().allow(''),
  /** JSON object, processor letter to the base address of its API. */
  PROCESSOR_URLS: Joi.string(),
  /** See docs/stripe.md. Both or neither. */
  STRIPE_SECRET_KEY: Joi.string(),
  STRIPE_WEBHOOK_SECRET: Joi.string(),
  STRIPE_API_URL: Joi.string().uri({ scheme: ['http', 'https'] }),

  API_FIRST_ANSWER_MS: millis(8_000),
  API_RATE_LIMIT_PER_SECOND: count(2_000),
  API_BODY_LIMIT_BYTES: count(1_048_576),
  API_BULK_BODY_LIMIT_BYTES: count(10_485_760),
  DOCUMENT_FILE_LIMIT_BYTES: count(10_485_760),
  API_EMBEDDED_WORKER: Joi.boolean().default(true),
  IDEMPOTENCY_RETENTION_MS: millis(72 * 3_600_000),
  ACCESS_TOKEN_TTL_MS: millis(10_000_000),
  ACCESS_TOKEN_CACHE_MS: millis(5_000),
  CUSTOMER_TOKEN_TTL_MS: millis(900_000),
  PASSWORD_RESET_TTL_MS: millis(1_800_000),
  CODES_PER_CUSTOMER: count(20),
  CODES_PER_CLIENT: count(1_000),
  CODES_WINDOW_MS: count(900_000),
  USER_TOKEN_TTL_MS: millis(1_800_000),
  INVITATION_TTL_MS: millis(7 * 24 * 3_600_000),
  UNREAD_SECRET_TTL_MS: millis(30 * 24 * 3_600_000),
  ROTATION_OVERLAP_MS: millis(24 * 3_600_000),
  ROTATION_OVERLAP_MAX_MS: millis(7 * 24 * 3_600_000),
  ACTIVATION_REMINDER_MS: count(2 * 24 * 3_600_000),

  PROVIDER_TIMEOUT_MS: millis(3_000),
  PROVIDER_IN_FLIGHT_MS: millis(5_000),
  PROVIDER_INQUIRY_FIRST_MS: millis(1_000),
  PROVIDER_INQUIRY_MAX_MS: millis(600_000),
  PAYMENT_REVIEW_AFTER_MS: millis(24 * 3_600_000),
  PAYER_ACTION_TTL_MS: millis(15 * 60_000),
  PAYER_TRANSFER_TTL_MS: millis(7 * 24 * 3_600_000),
  PAYER_INQUIRY_FIRST_MS: millis(60_000),
  AUTHORIZATION_TTL_MS: millis(7 * 24 * 3_600_000),
  CVV_TTL_MS: millis(3_600_000),
  WALLET_TOKEN_TTL_MS: millis(300_000),
  CALLBACK_RETRY_FIRST_MS: millis(1_000),
  CALLBACK_RETRY_MAX_MS: millis(30_000),
  CALLBACK_UNMATCHED_TTL_MS: millis(24 * 3_600_000),
  DISPUTE_EVIDENCE_TTL_MS: millis(7 * 24 * 3_600_000),
  DISPUTE_INQUIRY_MS: millis(6 * 3_600_000),
  DOCUMENT_EXPIRY_REMINDER_MS: millis(30 * 24 * 3_600_000),
  CARD_EXPIRY_EVERY_MS: Joi.number()
    .integer()
    .min(1_000)
    .default(24 * 3_600_000),
  CARD_EXPIRY_NOTICE_MS: millis(30 * 24 * 3_600_000),
  TRANSFER_TTL_MS: count(7 * 24 * 3_600_000),
  MONEY_REQUEST_TTL_MS: count(7 * 24 * 3_600_000),
  TRANSFER_DISPUTE_WINDOW_MS: count(7 * 24 * 3_600_000),
  RECONCILIATION_EVERY_MS: Joi.number().integer().min(1_000).default(3_600_000),
  RECONCILIATION_GRACE_MS: millis(24 * 3_600_000),
  LOST_FLOW_MS: millis(600_000),
  SHUTDOWN_GRACE_MS: millis(10_000),

  NOTIFICATION_TIMEOUT_MS: count(10_000),
  NOTIFICATION_CONCURRENCY: count(16),
  NOTIFICATION_ATTEMPTS: count(11),
  NOTIFICATION_RETRY_FIRST_MS: count(5_000),
  NOTIFICATION_RETRY_MAX_MS: count(6 * 3_600_000),

  /** Absent or empty in production: e-mails wait. In the sandbox: the simulator's mailbox. */
  SMTP_URL: Joi.string()
    .uri({ scheme: ['smtp', 'smtps'] })
    .allow(''),
  MAIL_FROM: Joi.string().default('Tillway <no-reply@tillway.example>'),
  TWILIO_ACCOUNT_SID: Joi.string().pattern(/^AC/, 'AC…').allow(''),
  TWILIO_AUTH_TOKEN: Joi.string().allow(''),
  TWILIO_FROM: Joi.string().default('Tillway'),
  TWILIO_API_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .allow(''),
  MESSAGE_RETRY_FIRST_MS: count(1_000),
  MESSAGE_RETRY_MAX_MS: count(600_000),
  MESSAGE_TTL_MS: count(5 * 24 * 3_600_000),

  WORKER_MAX_WORKFLOW_TASKS: count(64),
  WORKER_MAX_ACTIVITIES: count(100),
  WORKER_CACHED_WORKFLOWS: count(2_000),

  SIMULATOR_SETTLEMENT_EVERY_MS: millis(2_000),
  SIMULATOR_CHARGEBACK_AFTER_MS: millis(5_000),
  SIMULATOR_DISPUTE_DECISION_AFTER_MS: millis(5_000),
});

export interface Config {
  env: 'development' | 'test' | 'production';
  sandbox: boolean;
  logLevel: string;
  host: string;
  ports: {
    api: number;
    auth: number;
    simulator: number;
    temporal: number;
    temporalUi: number;
    postgres: number;
    metrics: number;
    /** Where the sandbox's mailbox takes e-mails. */
    mailboxSmtp: number;
  };
  publicUrl: string;
  authUrl: string;
  simulatorUrl: string;
  /** Base address of each processor's API; those not named are simulated. */
  processorUrls: Record<string, string>;
  /** Absent: switched off. Without `apiUrl`, Stripe itself. */
  stripe?: { secretKey: string; webhookSecret: string; apiUrl?: string };
  tls?: { certPath: string; keyPath: string };
  trustedProxies: string[];
  database: { url?: string; adminUrl?: string; pool: number };
  temporal: { address?: string; namespace: string; taskQueue: string; binary?: string };
  home: string;
  cache: string;
  workers: number;
  keys: {
    vault?: string;
    vaultHmac?: string;
    codec?: string;
    processorSecrets?: string;
    wallet?: string;
    walletIssuer?: string;
  };
  api: {
    firstAnswerMs: number;
    rateLimitPerSecond: number;
    bodyLimitBytes: number;
    bulkBodyLimitBytes: number;
    documentFileLimitBytes: number;
    embeddedWorker: boolean;
    idempotencyRetentionMs: number;
    accessTokenTtlMs: number;
    accessTokenCacheMs: number;
  };
  customerSignIn: {
    tokenTtlMs: number;
    resetTtlMs: number;
    codes: { perCustomer: number; perClient: number; windowMs: number };
  };
  onboarding: {
    /** Of a user's access token. */
    tokenTtlMs: number;
    invitationTtlMs: number;
    /** How long a new secret waits for its first reader. */
    unreadSecretTtlMs: number;
    rotationOverlap: { defaultMs: number; maxMs: number };
  };
  timers: {
    providerTimeoutMs: number;
    providerInFlightMs: number;
    inquiryFirstMs: number;
    inquiryMaxMs: number;
    reviewAfterMs: number;
    payerActionTtlMs: number;
    payerTransferTtlMs: number;
    payerInquiryFirstMs: number;
    authorizationTtlMs: number;
    cvvTtlMs: number;
    walletTokenTtlMs: number;
    callbackRetryFirstMs: number;
    callbackRetryMaxMs: number;
    callbackUnmatchedTtlMs: number;
    disputeEvidenceTtlMs: number;
    disputeInquiryMs: number;
    documentExpiryReminderMs: number;
    activationReminderMs: number;
    cardExpiryEveryMs: number;
    cardExpiryNoticeMs: number;
    transferTtlMs: number;
    moneyRequestTtlMs: number;
    transferDisputeWindowMs: number;
    reconciliationEveryMs: number;
    reconciliationGraceMs: number;
    lostFlowMs: number;
    shutdownGraceMs: number;
  };
  notifications: {
    timeoutMs: number;
    /** Requests to one endpoint at once. */
    atOnce: number;
    schedule: { attempts: number; firstMs: number; maxMs: number };
  };
  /** How e-mails and SMS leave; a channel without a carrier waits for one. */
  messages: {
    smtpUrl?: string;
    mailFrom: string;
    twilio?: { accountSid: string; authToken: string; from: string; apiUrl?: string };
    schedule: { retryFirstMs: number; retryMaxMs: number; ttlMs: number };
  };
  worker: { maxWorkflowTasks: number; maxActivities: number; cachedWorkflows: number };
  simulator: { settlementEveryMs: number; chargebackAfterMs: number; disputeDecisionAfterMs: number };
}

/** A setting that is wrong; its message is one line that names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Every setting by name, with its default where it has one; docs/settings.md is checked against it. */
export function describeSettings(): { name: string; default?: unknown }[] {
  const keys = schema.describe().keys as Record<string, { flags?: { default?: unknown } }>;
  return Object.entries(keys).map(([name, { flags }]) => ({ name, default: flags?.default }));
}

/** The environment we were started in, for programs that we start in turn. */
export function environment(): NodeJS.ProcessEnv {
  return { ...process.env };
}

/** Reads and validates all settings. Throws ConfigError on a malformed variable or an unknown `TILLWAY_…` one. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const known = new Set(Object.keys(schema.describe().keys as object));
  for (const name of Object.keys(env))
    if (name.startsWith('TILLWAY_') && !known.has(name)) throw new ConfigError(`${name} is not a setting of Tillway`);
  const given = Object.fromEntries(
    [...known].filter((name) => env[name] !== undefined).map((name) => [name, env[name]]),
  );
  const { value, error } = schema.validate(given, { convert: true });
  if (error) throw new ConfigError(error.message.replaceAll('"', ''));
  return shape(value);
}

// biome-ignore lint/suspicious/noExplicitAny: the values were just validated by the schema above
function shape(v: any): Config {
  if (Boolean(v.TLS_CERT) !== Boolean(v.TLS_KEY)) throw new ConfigError('TLS_CERT and TLS_KEY belong together');
  const scheme = v.TLS_CERT ? 'https' : 'http';
  const home: string = v.TILLWAY_HOME;
  const config: Config = {
    env: v.NODE_ENV,
    sandbox: v.NODE_ENV !== 'production',
    logLevel: v.LOG_LEVEL,
    host: v.HOST,
    ports: {
      api: v.PORT,
      auth: v.AUTH_PORT,
      simulator: v.SIMULATOR_PORT,
      temporal: v.TEMPORAL_PORT,
      temporalUi: v.TEMPORAL_UI_PORT,
      postgres: v.POSTGRES_PORT,
      metrics: v.METRICS_PORT,
      mailboxSmtp: v.MAILBOX_SMTP_PORT,
    },
    publicUrl: v.PUBLIC_URL ?? `${scheme}://${v.HOST}:${v.PORT}`,
    authUrl: `https://${v.HOST}:${v.AUTH_PORT}`,
    processorUrls: readUrls(v.PROCESSOR_URLS),
    stripe: readStripe(v),
    simulatorUrl: v.SIMULATOR_URL ?? `http://${v.HOST}:${v.SIMULATOR_PORT}`,
    tls: v.TLS_CERT ? { certPath: v.TLS_CERT, keyPath: v.TLS_KEY } : undefined,
    trustedProxies: ((v.TRUSTED_PROXIES ?? '') as string).split(',').filter(Boolean),
    database: { url: v.DATABASE_URL, adminUrl: v.DATABASE_ADMIN_URL, pool: v.DATABASE_POOL },
    temporal: {
      address: v.TEMPORAL_ADDRESS,
      namespace: v.TEMPORAL_NAMESPACE,
      taskQueue: v.TEMPORAL_TASK_QUEUE,
      binary: v.TILLWAY_TEMPORAL_BINARY,
    },
    home: isAbsolute(home) ? home : resolve(home),
    cache: v.TILLWAY_CACHE,
    workers: v.TILLWAY_WORKERS,
    keys: {
      vault: v.VAULT_KEYS,
      vaultHmac: v.VAULT_HMAC_KEY,
      codec: v.CODEC_KEYS,
      processorSecrets: v.PROCESSOR_SECRETS,
      wallet: v.WALLET_KEYS,
      walletIssuer: v.WALLET_ISSUER_KEYS,
    },
    api: {
      firstAnswerMs: v.API_FIRST_ANSWER_MS,
      rateLimitPerSecond: v.API_RATE_LIMIT_PER_SECOND,
      bodyLimitBytes: v.API_BODY_LIMIT_BYTES,
      bulkBodyLimitBytes: v.API_BULK_BODY_LIMIT_BYTES,
      documentFileLimitBytes: v.DOCUMENT_FILE_LIMIT_BYTES,
      embeddedWorker: v.API_EMBEDDED_WORKER,
      idempotencyRetentionMs: v.IDEMPOTENCY_RETENTION_MS,
      accessTokenTtlMs: v.ACCESS_TOKEN_TTL_MS,
      accessTokenCacheMs: v.ACCESS_TOKEN_CACHE_MS,
    },
    customerSignIn: {
      tokenTtlMs: v.CUSTOMER_TOKEN_TTL_MS,
      resetTtlMs: v.PASSWORD_RESET_TTL_MS,
      codes: { perCustomer: v.CODES_PER_CUSTOMER, perClient: v.CODES_PER_CLIENT, windowMs: v.CODES_WINDOW_MS },
    },
    onboarding: {
      tokenTtlMs: v.USER_TOKEN_TTL_MS,
      invitationTtlMs: v.INVITATION_TTL_MS,
      unreadSecretTtlMs: v.UNREAD_SECRET_TTL_MS,
      rotationOverlap: { defaultMs: v.ROTATION_OVERLAP_MS, maxMs: v.ROTATION_OVERLAP_MAX_MS },
    },
    timers: {
      providerTimeoutMs: v.PROVIDER_TIMEOUT_MS,
      providerInFlightMs: v.PROVIDER_IN_FLIGHT_MS,
      inquiryFirstMs: v.PROVIDER_INQUIRY_FIRST_MS,
      inquiryMaxMs: v.PROVIDER_INQUIRY_MAX_MS,
      reviewAfterMs: v.PAYMENT_REVIEW_AFTER_MS,
      payerActionTtlMs: v.PAYER_ACTION_TTL_MS,
      payerTransferTtlMs: v.PAYER_TRANSFER_TTL_MS,
      payerInquiryFirstMs: v.PAYER_INQUIRY_FIRST_MS,
      authorizationTtlMs: v.AUTHORIZATION_TTL_MS,
      cvvTtlMs: v.CVV_TTL_MS,
      walletTokenTtlMs: v.WALLET_TOKEN_TTL_MS,
      callbackRetryFirstMs: v.CALLBACK_RETRY_FIRST_MS,
      callbackRetryMaxMs: v.CALLBACK_RETRY_MAX_MS,
      callbackUnmatchedTtlMs: v.CALLBACK_UNMATCHED_TTL_MS,
      disputeEvidenceTtlMs: v.DISPUTE_EVIDENCE_TTL_MS,
      disputeInquiryMs: v.DISPUTE_INQUIRY_MS,
      documentExpiryReminderMs: v.DOCUMENT_EXPIRY_REMINDER_MS,
      activationReminderMs: v.ACTIVATION_REMINDER_MS,
      cardExpiryEveryMs: v.CARD_EXPIRY_EVERY_MS,
      cardExpiryNoticeMs: v.CARD_EXPIRY_NOTICE_MS,
      transferTtlMs: v.TRANSFER_TTL_MS,
      moneyRequestTtlMs: v.MONEY_REQUEST_TTL_MS,
      transferDisputeWindowMs: v.TRANSFER_DISPUTE_WINDOW_MS,
      reconciliationEveryMs: v.RECONCILIATION_EVERY_MS,
      reconciliationGraceMs: v.RECONCILIATION_GRACE_MS,
      lostFlowMs: v.LOST_FLOW_MS,
      shutdownGraceMs: v.SHUTDOWN_GRACE_MS,
    },
    notifications: {
      timeoutMs: v.NOTIFICATION_TIMEOUT_MS,
      atOnce: v.NOTIFICATION_CONCURRENCY,
      schedule: {
        attempts: v.NOTIFICATION_ATTEMPTS,
        firstMs: v.NOTIFICATION_RETRY_FIRST_MS,
        maxMs: v.NOTIFICATION_RETRY_MAX_MS,
      },
    },
    messages: carriersOf(v),
    worker: {
      maxWorkflowTasks: v.WORKER_MAX_WORKFLOW_TASKS,
      maxActivities: v.WORKER_MAX_ACTIVITIES,
      cachedWorkflows: v.WORKER_CACHED_WORKFLOWS,
    },
    simulator: {
      settlementEveryMs: v.SIMULATOR_SETTLEMENT_EVERY_MS,
      chargebackAfterMs: v.SIMULATOR_CHARGEBACK_AFTER_MS,
      disputeDecisionAfterMs: v.SIMULATOR_DISPUTE_DECISION_AFTER_MS,
    },
  };
  if (!config.sandbox) refuseSandboxDefaults(config);
  return config;
}

/** In the sandbox, what names no carrier goes to the simulator's mailbox. */
// biome-ignore lint/suspicious/noExplicitAny: the values were validated by the schema above
function carriersOf(v: any): Config['messages'] {
  const sandbox = v.NODE_ENV !== 'production';
  const simulator = v.SIMULATOR_URL ?? `http://${v.HOST}:${v.SIMULATOR_PORT}`;
  const hasTwilio = Boolean(v.TWILIO_ACCOUNT_SID);
  if (hasTwilio !== Boolean(v.TWILIO_AUTH_TOKEN))
    throw new ConfigError('TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN belong together');
  const mailbox = sandbox ? `smtp://${new URL(simulator).hostname}:${v.MAILBOX_SMTP_PORT}` : undefined;
  const apiUrl = v.TWILIO_API_URL || (sandbox && !hasTwilio ? `${simulator}/twilio` : undefined);
  return {
    smtpUrl: v.SMTP_URL || mailbox,
    mailFrom: v.MAIL_FROM,
    twilio:
      hasTwilio || sandbox
        ? {
            accountSid: v.TWILIO_ACCOUNT_SID || 'ACsandbox',
            authToken: v.TWILIO_AUTH_TOKEN || 'sandbox',
            from: v.TWILIO_FROM,
            apiUrl,
          }
        : undefined,
    schedule: { retryFirstMs: v.MESSAGE_RETRY_FIRST_MS, retryMaxMs: v.MESSAGE_RETRY_MAX_MS, ttlMs: v.MESSAGE_TTL_MS },
  };
}

function readUrls(text: string | undefined): Record<string, string> {
  if (text === undefined) return {};
  const url = Joi.string().uri({ scheme: ['http', 'https'] });
  try {
    return Joi.attempt(
      JSON.parse(text),
      Joi.object()
        .pattern(/^[a-z]+$/, url)
        .required(),
    );
  } catch {
    throw new ConfigError('PROCESSOR_URLS must be a JSON object of processor to base address');
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the values were just validated by the schema above
function readStripe(v: any): Config['stripe'] {
  if (Boolean(v.STRIPE_SECRET_KEY) !== Boolean(v.STRIPE_WEBHOOK_SECRET))
    throw new ConfigError('STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET belong together');
  if (!v.STRIPE_SECRET_KEY) return undefined;
  return { secretKey: v.STRIPE_SECRET_KEY, webhookSecret: v.STRIPE_WEBHOOK_SECRET, apiUrl: v.STRIPE_API_URL };
}

/** Outside the sandbox nothing runs on a generated or default secret, nor on plain HTTP without a trusted proxy. */
function refuseSandboxDefaults(config: Config): void {
  const required: [string, unknown][] = [
    ['DATABASE_URL', config.database.url],
    ['TEMPORAL_ADDRESS', config.temporal.address],
    ['VAULT_KEYS', config.keys.vault],
    ['VAULT_HMAC_KEY', config.keys.vaultHmac],
    ['CODEC_KEYS', config.keys.codec],
    ['PROCESSOR_SECRETS', config.keys.processorSecrets],
  ];
  for (const [name, value] of required)
    if (!value) throw new ConfigError(`${name} is required when NODE_ENV=production`);
  if (!config.tls && config.trustedProxies.length === 0)
    throw new ConfigError('TLS_CERT and TLS_KEY, or TRUSTED_PROXIES, are required when NODE_ENV=production');
}
