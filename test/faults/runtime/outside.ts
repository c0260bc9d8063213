import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { registerSearchAttributes, SEARCH_ATTRIBUTES } from '../../../src/foundation/temporal/search-attributes.js';
import { adminUrl, awaitPostgres, ensureDatabase, loginUrls } from '../../../src/sandbox/runtime/postgres.js';
import type { Secrets } from '../../../src/sandbox/runtime/secrets.js';
import { type Stack, startStack } from '../../setup/stack.js';

/** A program that finds an engine and a database of others: those of a platform that runs already. */
export function outside(host: () => Stack, main: string): void {
  const namespace = 'without-attributes';
  let address: string;
  let connection: Connection;

  beforeAll(async () => {
    address = host().credentials.temporalAddress;
    connection = await Connection.connect({ address });
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
  });
  afterAll(() => connection?.close());

  const attributes = async () =>
    Object.keys((await connection.operatorService.listSearchAttributes({ namespace })).customAttributes);

  test('an engine that is not ours gets the search attributes it lacks, once', async () => {
    expect(await attributes()).toEqual([]);
    expect(await registerSearchAttributes({ address }, namespace)).toEqual([...SEARCH_ATTRIBUTES]);
    expect(await registerSearchAttributes({ address }, namespace)).toEqual([]);
    expect((await attributes()).sort()).toEqual([...SEARCH_ATTRIBUTES].sort());
  });

  /** A database that nobody uses yet, at the host's Postgres. */
  async function emptyDatabase(name: string): Promise<Record<string, string>> {
    const { home, env } = host();
    const secrets = JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8')) as Secrets;
    const owner = secrets.postgresAdminPassword;
    const port = Number(env.POSTGRES_PORT);
    // It may have been killed a moment ago.
    await awaitPostgres(adminUrl(owner, port), () => true);
    await ensureDatabase(adminUrl(owner, port), name);
    const { url, systemUrl, opsUrl } = loginUrls(secrets, port, name);
    return {
      DATABASE_URL: url,
      DATABASE_SYSTEM_URL: systemUrl,
      DATABASE_OPS_URL: opsUrl,
      DATABASE_ADMIN_URL: adminUrl(owner, port, name),
    };
  }

  test('with DATABASE_URL and TEMPORAL_ADDRESS neither is started, and what is there is used', async () => {
    const stack = await startStack({
      program: main,
      env: { ...(await emptyDatabase('outside')), TEMPORAL_ADDRESS: address },
    });
    try {
      expect([stack.pidOf('postgres'), stack.pidOf('temporal')]).toEqual([undefined, undefined]);
      expect(existsSync(join(stack.home, 'postgres'))).toBe(false);
      expect(stack.credentials).toMatchObject({ starts: 1, temporalAddress: address });
      expect(stack.output()).not.toContain('warning');
    } finally {
      await stack.remove();
    }
  });

  test('with DATABASE_URL alone one line says which logins to set', async () => {
    const { DATABASE_URL, DATABASE_ADMIN_URL } = await emptyDatabase('one_login');
    const stack = await startStack({
      program: main,
      env: { DATABASE_URL, DATABASE_ADMIN_URL, TEMPORAL_ADDRESS: address },
    });
    try {
      expect(stack.output().match(/^warning: .*$/gm)).toEqual([
        expect.stringMatching(/^warning: DATABASE_SYSTEM_URL and DATABASE_OPS_URL are not set: /),
      ]);
    } finally {
      await stack.remove();
    }
  });
}
