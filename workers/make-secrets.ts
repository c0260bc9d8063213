import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type CertificateFiles,
  makeAuthority,
  makeClientCertificate,
  makeServerCertificate,
} from '../src/foundation/certificates/authority';
import { writePrivateFile } from '../src/foundation/files/private-file';

/**
 * `node dist/workers/make-secrets.js FOLDER`: makes the secrets of docker-compose.yml, one file each. A file that is there
 * stays as it is, so it is safe to repeat. The authority of the engine's certificates is thrown away: to renew them,
 * remove the five files `engine_*` and run it again.
 */
async function makeSecrets(folder: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const made: string[] = [];
  const write = (name: string, content: string) => {
    const path = join(folder, name);
    if (existsSync(path)) return;
    // The folder is closed; the containers read the files as users of their own.
    writePrivateFile(path, content, 0o444);
    made.push(name);
  };
  const key = () => randomBytes(32).toString('base64');
  write('vault_keys', `k1:${key()}`);
  // An installation from before there were fingerprint keys goes on recognizing its cards.
  const isNew = !existsSync(join(folder, 'vault_hmac_key'));
  write('fingerprint_keys', isNew ? `f1:${key()}` : `f1:${key()},hmac`);
  write('vault_hmac_key', key());
  write('codec_keys', `k1:${key()}`);
  write('postgres_temporal_password', password());
  for (const [name, user] of DATABASE_LOGINS) {
    if (existsSync(join(folder, name))) continue;
    const secret = password();
    write(name, `postgres://${user}:${secret}@postgres:5432/tillway`);
    if (user === 'postgres') write('postgres_admin_password', secret);
  }
  for (const name of TO_BE_FILLED) write(name, '');
  write('processor_secrets', '{}');
  if (ENGINE_FILES.some((name) => !existsSync(join(folder, name))))
    for (const [name, content] of Object.entries(await engineCertificates())) write(name, content);
  return made;
}

const password = () => randomBytes(24).toString('hex');

const DATABASE_LOGINS = [
  ['database_admin_url', 'postgres'],
  ['database_url', 'tillway_app'],
  ['database_system_url', 'tillway_system'],
  ['database_ops_url', 'tillway_ops'],
] as const;

/** What nobody but the operator knows. Empty: not used. */
const TO_BE_FILLED = [
  'smtp_url',
  'twilio_auth_token',
  'transit_secret_id',
  'device_wallet_keys',
  'stripe_secret_key',
  'stripe_webhook_secret',
];

const ENGINE_FILES = [
  'engine_ca',
  'engine_server_cert',
  'engine_server_key',
  'engine_client_cert',
  'engine_client_key',
] as const;

/** Mutual TLS between the platform and the engine. */
async function engineCertificates(now = new Date()): Promise<Record<(typeof ENGINE_FILES)[number], string>> {
  const authority: CertificateFiles = await makeAuthority(now, 'Tillway engine CA');
  // The parts of the engine show this certificate to each other too.
  const server = await makeServerCertificate(authority, ['temporal', 'localhost'], now, { alsoClient: true });
  const client = await makeClientCertificate(authority, 'tillway', now);
  return {
    engine_ca: authority.certificate,
    engine_server_cert: server.certificate,
    engine_server_key: server.key,
    engine_client_cert: client.certificate,
    engine_client_key: client.key,
  };
}

makeSecrets(resolve(process.argv[2] ?? 'secrets')).then(
  (made) => {
    process.stdout.write(`made: ${made.join(', ') || 'nothing, all are there'}\n`);
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  },
);
