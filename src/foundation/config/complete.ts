import { entranceFilesIn } from './entrance-files';
import type { Keys } from './key-source';
import type { SETTINGS } from './settings';
import { KEY_SERVICES, type KeyServiceKind } from './settings-keys';
import type { Values } from './values';

/** What the environment says, before the values that follow from others. */
type Given = Values<typeof SETTINGS>;

/** A group of which the named members are there. */
type Whole<G, Members extends keyof G> = G & Required<Pick<G, Members>>;

/** Every setting in its place; see the table in settings.ts for what each means. Times are milliseconds. */
export interface Config
  extends Omit<Given, 'tls' | 'stripe' | 'messages' | 'openBanking' | 'temporal' | 'auditExport' | 'keys'> {
  keys: Omit<Given['keys'], 'vault' | 'codec'> & { vault?: Keys; codec?: Keys };
  sandbox: boolean;
  publicUrl: string;
  authUrl: string;
  simulatorUrl: string;
  tls?: Whole<Given['tls'], 'certPath' | 'keyPath'>;
  temporal: Omit<Given['temporal'], 'tls'> & {
    /** Absent: spoken to in clear. */
    tls?: Given['temporal']['tls'];
  };
  /** Absent: switched off. Without `apiUrl`, Stripe itself. */
  stripe?: Whole<Given['stripe'], 'secretKey' | 'webhookSecret'>;
  /** Absent: no copy is made. */
  auditExport?: Whole<Given['auditExport'], 'bucketUrl' | 'accessKeyId' | 'secretAccessKey'>;
  openBanking: Omit<Given['openBanking'], 'entrance'> & {
    /** Absent: no entrance of third-party providers. */
    entrance?: { certPath: string; keyPath: string; clientCaPath?: string };
  };
  /** How e-mails and SMS leave; a channel without a carrier waits for one. */
  messages: Omit<Given['messages'], 'twilio'> & {
    twilio?: Whole<Given['messages']['twilio'], 'accountSid' | 'authToken'>;
  };
}

type Refuse = (fault: string) => void;

/** Adds what follows from several settings together. What does not fit together goes to `refuse`. */
export function complete(given: Given, refuse: Refuse): Config {
  const { ports } = given;
  const { rotationOverlap } = given.onboarding;
  // An IPv6 address stands in brackets in a URL.
  const host = given.host.includes(':') ? `[${given.host}]` : given.host;
  const sandbox = given.env !== 'production';
  const tls = together(given.tls, 'certPath', 'keyPath', 'TLS_CERT and TLS_KEY', refuse);
  if (rotationOverlap.defaultMs > rotationOverlap.maxMs)
    refuse('ROTATION_OVERLAP_MS is longer than ROTATION_OVERLAP_MAX_MS: shorten it, or raise the other');
  checkKeyServices(given.keyService, refuse);
  const simulatorUrl = given.simulatorUrl ?? `http://${host}:${ports.simulator}`;
  return {
    ...given,
    database: completeDatabase(given.database, refuse),
    sandbox,
    publicUrl: given.publicUrl ?? `${tls ? 'https' : 'http'}://${host}:${ports.api}`,
    authUrl: `https://${host}:${ports.auth}`,
    simulatorUrl,
    temporal: {
      ...given.temporal,
      tls: engineTlsOf(given.temporal, refuse),
      uiUrl: given.temporal.uiUrl ?? (sandbox ? `http://${host}:${ports.temporalUi}` : undefined),
    },
    tls,
    stripe: together(given.stripe, 'secretKey', 'webhookSecret', 'STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET', refuse),
    messages: carriersOf(given, simulatorUrl, sandbox, refuse),
    auditExport: auditExportOf(given, refuse),
    openBanking: { ...given.openBanking, entrance: entranceOf(given, sandbox, refuse) },
  };
}

/** A service that is named needs to be told which key, and where. */
function checkKeyServices({ seals, alsoReads, aws, gcp, vault }: Given['keyService'], refuse: Refuse): void {
  const needed: Record<KeyServiceKind, [string, unknown][]> = {
    aws: [['AWS_KMS_KEY_ID', aws.keyId]],
    gcp: [['GCP_KMS_KEY', gcp.key]],
    vault: [
      ['TRANSIT_URL', vault.url],
      ['TRANSIT_KEY', vault.key],
      [
        'TRANSIT_TOKEN_FILE, or TRANSIT_ROLE_ID and TRANSIT_SECRET_ID,',
        vault.tokenFile ?? (vault.roleId && vault.secretId),
      ],
    ],
  };
  for (const kind of KEY_SERVICES.filter((one) => one === seals || alsoReads.includes(one)))
    for (const [name, value] of needed[kind]) if (!value) refuse(`${name} is required for the key service ${kind}`);
}

/** In the sandbox, what names no certificate gets those that `npm start` makes. */
function entranceOf({ openBanking, home }: Given, sandbox: boolean, refuse: Refuse): Config['openBanking']['entrance'] {
  const { clientCaPath, ...files } = openBanking.entrance;
  const own = together(files, 'certPath', 'keyPath', 'AUTH_TLS_CERT and AUTH_TLS_KEY', refuse);
  if (own) return { ...own, clientCaPath };
  if (!sandbox) return undefined;
  const { certPath, keyPath, caPath } = entranceFilesIn(home);
  return { certPath, keyPath, clientCaPath: clientCaPath ?? caPath };
}

/** Further logins are of the database that DATABASE_URL names. */
function completeDatabase(database: Given['database'], refuse: Refuse): Config['database'] {
  const { url, systemUrl, directUrl = url } = database;
  together(database, 'systemUrl', 'opsUrl', 'DATABASE_SYSTEM_URL and DATABASE_OPS_URL', refuse);
  if (!url && (systemUrl || directUrl))
    refuse('DATABASE_SYSTEM_URL, DATABASE_OPS_URL and DATABASE_DIRECT_URL need DATABASE_URL beside them');
  return { ...database, directUrl };
}

/** In the sandbox, what names no carrier goes to the simulator's mailbox. */
function carriersOf(
  { messages, ports }: Given,
  simulatorUrl: string,
  sandbox: boolean,
  refuse: Refuse,
): Config['messages'] {
  const twilio = together(
    messages.twilio,
    'accountSid',
    'authToken',
    'TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN',
    refuse,
  );
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

/** An API key never travels in clear. */
function engineTlsOf({ tls, apiKey }: Given['temporal'], refuse: Refuse): Config['temporal']['tls'] {
  together(tls, 'certPath', 'keyPath', 'TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY', refuse);
  return apiKey || Object.values(tls).some(Boolean) ? tls : undefined;
}

/** The bucket with the key to it. */
function auditExportOf({ auditExport }: Given, refuse: Refuse): Config['auditExport'] {
  const { bucketUrl, accessKeyId, secretAccessKey } = auditExport;
  if (bucketUrl && accessKeyId && secretAccessKey) return { ...auditExport, bucketUrl, accessKeyId, secretAccessKey };
  if (bucketUrl || accessKeyId || secretAccessKey)
    refuse(
      'AUDIT_EXPORT_BUCKET_URL, AUDIT_EXPORT_ACCESS_KEY_ID and AUDIT_EXPORT_SECRET_ACCESS_KEY belong together: set all, or none',
    );
  return undefined;
}

/** The group when both members are given, undefined when neither is. Refuses one alone, naming both. */
function together<G, A extends keyof G, B extends keyof G>(
  group: G,
  first: A,
  second: B,
  names: string,
  refuse: Refuse,
): Whole<G, A | B> | undefined {
  const whole = group[first] && group[second];
  if (!whole && (group[first] || group[second])) refuse(`${names} belong together: set both, or neither`);
  return whole ? (group as Whole<G, A | B>) : undefined;
}
