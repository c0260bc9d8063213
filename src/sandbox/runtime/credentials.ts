import type { Config } from '../../foundation/config/config.js';
import { writePrivateFile } from '../../foundation/files/private-file.js';
import type { Home } from './home.js';

/** What `credentials.json` holds beyond the addresses: whatever the seed of the sandbox made. */
export type Seeded = Record<string, unknown>;

/** What the first call of a third party is made of. */
interface WithTpp {
  tenantId: string;
  customer: { customerId: string };
  tpp: { name: string; caPath: string; certPath: string; keyPath: string };
}

const isWithTpp = (seeded: object): seeded is WithTpp => 'tpp' in seeded && 'customer' in seeded;

interface Client {
  clientId?: string;
  clientSecret?: string;
}

/**
 * Writes `credentials.json`, mode 0600: what a first user or an automatic test needs, and by what the commands find us.
 * `postgresPort`: of a Postgres of our own, else null.
 */
export function writeCredentials(home: Home, config: Config, seeded: Seeded, postgresPort: number | null): Seeded {
  const credentials = {
    apiUrl: config.publicUrl,
    authUrl: config.authUrl,
    simulatorUrl: config.simulatorUrl,
    temporalAddress: config.temporal.address,
    temporalUiUrl: `http://127.0.0.1:${config.ports.temporalUi}`,
    ...seeded,
    postgresPort,
    processorSecrets: JSON.parse(config.keys.processorSecrets ?? '{}'),
  };
  writePrivateFile(home.credentialsFile, `${JSON.stringify(credentials, null, 2)}\n`);
  return credentials;
}

/** What the console shows once the platform answers: addresses, who to be, and a first payment to try. */
export function welcome(config: Config, home: Home, seeded: Seeded, seconds: number): string {
  const rows: [string, string][] = [
    ['API', config.publicUrl],
    ['  reference', `${config.publicUrl}/docs`],
    ['Console', `${config.publicUrl}/console${config.sandbox ? '   (npx tillway sign-in)' : ''}`],
    ['Simulator', config.simulatorUrl],
    ['Temporal UI', `http://127.0.0.1:${config.ports.temporalUi}`],
    ['Credentials', home.credentialsFile],
    ['Logs', home.logs],
  ];
  if (!config.sandbox) rows.splice(3, 2);
  if (config.openBanking.entrance) rows.splice(3, 0, ['Third parties', `${config.authUrl}   (by client certificate)`]);
  const merchant = (seeded.clients as { merchant?: Client } | undefined)?.merchant;
  if (merchant?.clientId) rows.push(['Merchant', `${merchant.clientId} / ${merchant.clientSecret}`]);
  const table = rows.map(([name, value]) => `  ${name.padEnd(14)} ${value}`).join('\n');
  const payment = merchant?.clientId ? `\n\nA first payment:\n\n${firstPayment(config, seeded, merchant)}` : '';
  const consent = isWithTpp(seeded)
    ? `\n\nA first call of a third party:\n\n${firstConsent(config.authUrl, seeded)}`
    : '';
  return `\nTillway is ready (${seconds.toFixed(1)} s).\n\n${table}${payment}${consent}\n`;
}

function firstPayment(config: Config, seeded: Seeded, merchant: Client): string {
  const body = {
    merchantTransactionId: 'first-1',
    amount: '10.00',
    currency: 'EUR',
    card: { number: '4111111111111111', holder: 'A Buyer', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
  };
  return [
    `  TOKEN=$(curl -s ${config.publicUrl}/auth/1.0.0/token -u '${merchant.clientId}:${merchant.clientSecret}' \\`,
    `    -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s ${config.publicUrl}/payments/h2h/1 -H "Authorization: Bearer $TOKEN" \\`,
    `    -H 'organizationId: ${seeded.organizationId}' -H 'Content-Type: application/json' \\`,
    `    -d '${JSON.stringify(body)}'`,
  ].join('\n');
}

const DAY_MS = 24 * 3_600_000;

/** Asks for a consent, as a third-party provider does: with the certificate of the sandbox's own. */
export function firstConsent(authUrl: string, { tpp, tenantId, customer }: WithTpp, now = new Date()): string {
  const inDays = (days: number) => new Date(now.getTime() + days * DAY_MS).toISOString();
  const body = {
    serviceProvider: tpp.name,
    customerId: customer.customerId,
    customerType: 'Person',
    tenantId,
    status: 'AwaitingAuthorisation',
    permissions: [{ name: 'ReadAccountsDetail' }, { name: 'ReadBalances' }],
    consentedDate: inDays(0),
    sharingStartDate: inDays(-30),
    sharingEndDate: inDays(90),
    expiryDate: inDays(90),
  };
  return [
    `  tpp() { curl -s --cacert '${tpp.caPath}' --cert '${tpp.certPath}' --key '${tpp.keyPath}' "$@"; }`,
    `  TPP_TOKEN=$(tpp ${authUrl}/token -d grant_type=client_credentials -d scope=accounts \\`,
    `    | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  tpp ${authUrl}/open-banking/2.0.0/consent -H "Authorization: Bearer $TPP_TOKEN" \\`,
    `    -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`,
  ].join('\n');
}
