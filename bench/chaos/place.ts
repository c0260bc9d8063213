import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/foundation/config/config';
import { findDatabaseUrls } from '../../src/sandbox/cli/sandbox';
import type { Stack } from '../../test/setup/stack';
import type { BankPlace } from './bank';

/** A running stack as something to attack. */
export function placeOf(stack: Stack): BankPlace {
  const { TILLWAY_HOME, POSTGRES_PORT } = stack.env;
  const { tenantId, clients } = JSON.parse(readFileSync(join(stack.home, 'credentials.json'), 'utf8'));
  return {
    apiUrl: stack.apiUrl,
    tenantId,
    admin: clients.tenantAdmin,
    databaseUrls: findDatabaseUrls(loadConfig({ TILLWAY_HOME, POSTGRES_PORT })),
    kill(name) {
      if (!stack.pidOf(name)) return false;
      stack.kill(name);
      return true;
    },
    isReady: () =>
      fetch(`${stack.apiUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) }).then(
        ({ status }) => status === 200,
        () => false,
      ),
  };
}
