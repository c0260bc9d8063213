import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { Logger } from 'pino';
import type { Platform } from '../../workers/platform';
import type { Config } from '../foundation/config/config';
import type { Consents } from '../open-banking/consents/service';
import { SigningKeys } from '../open-banking/keys/signing-keys';
import type { BankPayments } from '../open-banking/payments/service';
import { Signatures } from '../open-banking/signatures/signatures';
import { JwksSource } from '../open-banking/tpps/jwks-source';
import { TppRegistry } from '../open-banking/tpps/registry';
import type { TppRow } from '../open-banking/tpps/tpp';
import { authorizationServer } from './authorization/mount';
import { createEntrance } from './server/entrance/app';
import { closeListener, limitConnections, waitingTimes } from './server/listener';
import type { Idempotency } from './server/middleware/idempotency';
import type { RequestTurns } from './server/middleware/turns';
import type { Route } from './server/route';
import { SignInPages } from './signin/pages';

interface EntranceOptions {
  config: Config;
  platform: Platform;
  routes: Route[];
  consents: Consents;
  payments: BankPayments;
  idempotency: Pick<Idempotency, 'run'>;
  turns: Pick<RequestTurns, 'run'>;
  log: Logger;
  ciphers: string;
}

/**
 * Opens the entrance of third-party providers on AUTH_PORT. It asks every client for a certificate and insists on none:
 * a customer's browser has none. Undefined where no certificate of the server is configured.
 */
export async function openEntrance(
  options: EntranceOptions,
): Promise<{ close(graceMs: number): Promise<void> } | undefined> {
  const { config, platform, routes, consents, payments, idempotency, turns, log, ciphers } = options;
  const { entrance, trustAnchor, signatureMaxAgeMs, clockSkewMs } = config.openBanking;
  // The processes of a sandbox can run without `npm start`, which makes the certificates.
  if (!entrance || (config.sandbox && !existsSync(entrance.certPath))) return undefined;
  const { database, identity } = platform;
  const jwksSource = new JwksSource(platform.notifications.guard);
  const registry = new TppRegistry(database, jwksSource);
  const keys = new SigningKeys(database, config.keys.vault!);
  const signatures = new Signatures<TppRow>({
    database,
    keyOf: (tpp, kid) => registry.keyOf(tpp, kid),
    signingKey: async () => {
      const { kid, privateKey } = await keys.current();
      return { kid, key: privateKey };
    },
    issuer: config.authUrl,
    trustAnchor,
    maxAgeMs: signatureMaxAgeMs,
    skewMs: clockSkewMs,
  });
  const signIn = new SignInPages(identity, config.authUrl);
  // Apart from the others: what is allowed can be ended here, so nobody stays signed in for long.
  const ownSignIn = new SignInPages(identity, config.authUrl, {
    cookie: { name: 'tillway_consents', sameSite: 'Strict' },
    sessionMs: config.customerSignIn.tokenTtlMs,
  });
  const rawMounts = await authorizationServer({
    config,
    database,
    registry,
    keys,
    consents,
    signIn,
    ownSignIn,
    payments,
    stepUps: identity.stepUps,
    log,
  });
  const app = createEntrance({
    config,
    database,
    logger: log,
    registry,
    consents,
    signatures,
    idempotency,
    turns,
    routes,
    rawMounts,
  });
  const server = createServer(
    {
      cert: readFileSync(entrance.certPath),
      key: readFileSync(entrance.keyPath),
      ...(entrance.clientCaPath && { ca: readFileSync(entrance.clientCaPath) }),
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      ciphers,
      honorCipherOrder: true,
      ...waitingTimes(config.api.connections),
    },
    app.callback(),
  );
  limitConnections(server, config);
  await listening(server, config);
  log.info({ url: config.authUrl }, 'the entrance of third-party providers listens');
  return {
    async close(graceMs) {
      await closeListener(server, graceMs);
      await jwksSource.close();
    },
  };
}

function listening(server: Server, { ports, host }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(ports.auth, host, resolve);
  });
}
