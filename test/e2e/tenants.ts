import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/foundation/config/config';
import { CallbackSecrets } from '../../src/people/identity/callback-secrets';
import { CertificateFolder } from '../../src/sandbox/certificates/folder';
import { openRunningDatabase } from '../../src/sandbox/cli/sandbox';
import { seedOperator, seedTenant } from '../../src/sandbox/seed/tenants';
import { seedTpp } from '../../src/sandbox/seed/tpps';
import { type Credentials, sharedStack } from '../setup/stack';

/**
 * A tenant of a suite's own on the shared platform, with a merchant, clients and an operator's client, and nothing else. For suites that set
 * what all of a tenant goes by (fees, limits, rules, themes, policies): in a tenant that others use too, these would
 * meet other fees than they expect. The API makes no tenants, so it is seeded as the sandbox's own are.
 */
export async function ownTenant(): Promise<Credentials> {
  const { credentials, home } = sharedStack();
  const { VAULT_KEYS } = JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8')) as Record<string, string>;
  const config = loadConfig({ TILLWAY_HOME: home });
  const database = await openRunningDatabase(config, 'test-own-tenant');
  try {
    const label = `test-${randomUUID()}`;
    const seed = { label, tenant: `Tenant of ${label}`, organization: `Shop of ${label}` };
    const [seeded, ops] = await database.system.transaction(async (trx) => [
      await seedTenant(trx, new CallbackSecrets(VAULT_KEYS!), seed),
      await seedOperator(trx, `Operator of ${label}`),
    ]);
    const { apiUrl, simulatorUrl, processorSecrets } = credentials;
    return { apiUrl, simulatorUrl, processorSecrets, ...seeded, clients: { ...seeded.clients, ops } };
  } finally {
    await database.close();
  }
}

/** A tenant of that kind with a third-party provider that serves it alone. */
export async function withOwnTpp(tenant: Credentials): Promise<Credentials> {
  const { credentials, home } = sharedStack();
  const config = loadConfig({ TILLWAY_HOME: home });
  const { authUrl, simulatorUrl, tpp } = credentials;
  const database = await openRunningDatabase(config, 'test-own-tpp');
  try {
    // The server's own certificate stays as it is.
    const certificates = await CertificateFolder.open(home, []);
    const seed = { tenantId: tenant.tenantId, label: `test-${randomUUID()}`, name: 'Own Budget' };
    const own = await seedTpp(database, certificates, { trustAnchor: tpp.tan, simulatorUrl }, seed);
    return { ...tenant, authUrl, tpp: own };
  } finally {
    await database.close();
  }
}
