import { entranceFilesIn } from './entrance-files';
import { underTodaysNames } from './former-names';
import { ConfigError } from './setting';
import { SECTIONS, SETTINGS } from './settings';
import { settingsIn, type Values, valuesOf } from './values';

export { ConfigError } from './setting';

/** What the environment says, before the values that follow from others. */
type Given = Values<typeof SETTINGS>;

/** A group of which the named members are there. */
type Whole<G, Members extends keyof G> = G & Required<Pick<G, Members>>;

/** Every setting in its place; see the table in settings.ts for what each means. Times are milliseconds. */
export interface Config extends Omit<Given, 'tls' | 'stripe' | 'messages' | 'openBanking'> {
  sandbox: boolean;
  publicUrl: string;
  authUrl: string;
  simulatorUrl: string;
  tls?: Whole<Given['tls'], 'certPath' | 'keyPath'>;
  /** Absent: switched off. Without `apiUrl`, Stripe itself. */
  stripe?: Whole<Given['stripe'], 'secretKey' | 'webhookSecret'>;
  openBanking: Omit<Given['openBanking'], 'entrance'> & {
    /** Absent: no entrance of third-party providers. */
    entrance?: { certPath: string; keyPath: string; clientCaPath?: string };
  };
  /** How e-mails and SMS leave; a channel without a carrier waits for one. */
  messages: Omit<Given['messages'], 'twilio'> & {
    twilio?: Whole<Given['messages']['twilio'], 'accountSid' | 'authToken'>;
  };
}

const ALL = settingsIn(SETTINGS);

/** A setting as docs/settings.md shows it; `form`, `default` and `meaning` are Markdown. */
export interface SettingDescription {
  name: string;
  /** The table of docs/settings.md that it stands in. */
  section: keyof typeof SECTIONS;
  form: string;
  default: string;
  meaning: string;
  /** The name it had before, which still works. */
  formerly?: string;
}

/** Every setting by name, in the order of the table. */
export function describeSettings(): SettingDescription[] {
  return (Object.keys(SECTIONS) as (keyof typeof SECTIONS)[]).flatMap((section) =>
    settingsIn(SECTIONS[section]).map(({ name, meaning, shown, formerly }) => ({
      name,
      section,
      ...shown,
      meaning,
      formerly,
    })),
  );
}

/**
 * The environment we were started in, for programs that we start in turn, with each setting under its name of today.
 * Throws ConfigError when an old name is given beside the new one and they differ.
 */
export function environment(): NodeJS.ProcessEnv {
  return underTodaysNames(process.env, ALL);
}

/** Reads and validates all settings. Throws ConfigError on a malformed variable or an unknown `TILLWAY_…` one. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const known = new Set(ALL.map(({ name }) => name));
  for (const name of Object.keys(env))
    if (name.startsWith('TILLWAY_') && !known.has(name)) throw new ConfigError(`${name} is not a setting of Tillway`);
  const config = complete(valuesOf(SETTINGS, underTodaysNames(env, ALL)));
  if (!config.sandbox) refuseSandboxDefaults(config);
  return config;
}

/** Adds what follows from several settings together. */
function complete(given: Given): Config {
  const { host, ports } = given;
  const sandbox = given.env !== 'production';
  const tls = together(given.tls, 'certPath', 'keyPath', 'TLS_CERT and TLS_KEY');
  const simulatorUrl = given.simulatorUrl ?? `http://${host}:${ports.simulator}`;
  return {
    ...given,
    database: completeDatabase(given.database),
    sandbox,
    publicUrl: given.publicUrl ?? `${tls ? 'https' : 'http'}://${host}:${ports.api}`,
    authUrl: `https://${host}:${ports.auth}`,
    simulatorUrl,
    temporal: {
      ...given.temporal,
      uiUrl: given.temporal.uiUrl ?? (sandbox ? `http://${host}:${ports.temporalUi}` : undefined),
    },
    tls,
    stripe: together(given.stripe, 'secretKey', 'webhookSecret', 'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET'),
    messages: carriersOf(given, simulatorUrl, sandbox),
    openBanking: { ...given.openBanking, entrance: entranceOf(given, sandbox) },
  };
}

/** In the sandbox, what names no certificate gets those that `npm start` makes. */
function entranceOf({ openBanking, home }: Given, sandbox: boolean): Config['openBanking']['entrance'] {
  const { clientCaPath, ...files } = openBanking.entrance;
  const own = together(files, 'certPath', 'keyPath', 'AUTH_TLS_CERT and AUTH_TLS_KEY');
  if (own) return { ...own, clientCaPath };
  if (!sandbox) return undefined;
  const { certPath, keyPath, caPath } = entranceFilesIn(home);
  return { certPath, keyPath, clientCaPath: clientCaPath ?? caPath };
}

/** Further logins are of the database that DATABASE_URL names. */
function completeDatabase(database: Given['database']): Config['database'] {
  const { url, systemUrl, directUrl = url } = database;
  together(database, 'systemUrl', 'opsUrl', 'DATABASE_SYSTEM_URL and DATABASE_OPS_URL');
  if (!url && (systemUrl || directUrl))
    throw new ConfigError(
      'DATABASE_SYSTEM_URL, DATABASE_OPS_URL and DATABASE_DIRECT_URL need DATABASE_URL beside them',
    );
  return { ...database, directUrl };
}

/** In the sandbox, what names no carrier goes to the simulator's mailbox. */
function carriersOf({ messages, ports }: Given, simulatorUrl: string, sandbox: boolean): Config['messages'] {
  const twilio = together(messages.twilio, 'accountSid', 'authToken', 'TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN');
  if (!sandbox) return { ...messages, twilio };
  return {
    ...messages,
    smtpUrl: messages.smtpUrl ?? `smtp://${new URL(simulatorUrl).hostname}:${ports.mailboxSmtp}`,
    twilio: twilio ?? {
      ...messages.twilio,
      accountSid: 'ACsandbox',
      authToken: 'sandbox',
      apiUrl: messages.twilio.apiUrl ?? `${simulatorUrl}/twilio`,
    },
  };
}

/** The group when both members are given, undefined when neither is. Throws ConfigError, naming both, when one is. */
function together<G, A extends keyof G, B extends keyof G>(
  group: G,
  first: A,
  second: B,
  names: string,
): Whole<G, A | B> | undefined {
  if (Boolean(group[first]) !== Boolean(group[second])) throw new ConfigError(`${names} belong together`);
  return group[first] ? (group as Whole<G, A | B>) : undefined;
}

/** Outside the sandbox nothing runs on a generated or default secret, nor on plain HTTP without a trusted proxy. */
function refuseSandboxDefaults({ database, temporal, keys, tls, trustedProxies }: Config): void {
  const required = {
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: temporal.address,
    VAULT_KEYS: keys.vault,
    VAULT_HMAC_KEY: keys.vaultHmac,
    CODEC_KEYS: keys.codec,
    PROCESSOR_SECRETS: keys.processorSecrets,
  };
  for (const [name, value] of Object.entries(required))
    if (!value) throw new ConfigError(`${name} is required when NODE_ENV=production`);
  if (!tls && trustedProxies.length === 0)
    throw new ConfigError('TLS_CERT and TLS_KEY, or TRUSTED_PROXIES, are required when NODE_ENV=production');
}
