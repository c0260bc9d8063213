import type { Config } from '../../foundation/config/config.js';
import { writePrivateFile } from '../../foundation/files/private-file.js';
import type { Home } from './home.js';

/** What `credentials.json` holds beyond the addresses: whatever the seed of the sandbox made. */
export type Seeded = Record<string, unknown>;

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
  const merchant = (seeded.clients as { merchant?: Client } | undefined)?.merchant;
  if (merchant?.clientId) rows.push(['Merchant', `${merchant.clientId} / ${merchant.clientSecret}`]);
  const table = rows.map(([name, value]) => `  ${name.padEnd(14)} ${value}`).join('\n');
  const example = merchant?.clientId ? `\n\nA first payment:\n\n${firstPayment(config, seeded, merchant)}` : '';
  return `\nTillway is ready (${seconds.toFixed(1)} s).\n\n${table}${example}\n`;
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
