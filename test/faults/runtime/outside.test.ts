import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { registerSearchAttributes, SEARCH_ATTRIBUTES } from '../../../src/foundation/temporal/search-attributes.js';
import { createTestDatabase, testTemporalAddress } from '../../setup/environment.js';
import { startStack } from '../../setup/stack.js';
import { buildProgram } from './program.js';

const namespace = 'without-attributes';
let connection: Connection;

beforeAll(async () => {
  connection = await Connection.connect({ address: testTemporalAddress() });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
});
afterAll(() => connection.close());

const attributes = async () =>
  Object.keys((await connection.operatorService.listSearchAttributes({ namespace })).customAttributes);

test('an engine that is not ours gets the search attributes it lacks, once', async () => {
  expect(await attributes()).toEqual([]);
  expect(await registerSearchAttributes(testTemporalAddress(), namespace)).toEqual([...SEARCH_ATTRIBUTES]);
  expect(await registerSearchAttributes(testTemporalAddress(), namespace)).toEqual([]);
  expect((await attributes()).sort()).toEqual([...SEARCH_ATTRIBUTES].sort());
});

test('with DATABASE_URL and TEMPORAL_ADDRESS neither is started, and what is there is used', async () => {
  const program = buildProgram();
  const database = await createTestDatabase('outside');
  const stack = await startStack({
    program: program.main,
    env: { DATABASE_URL: database.url, DATABASE_ADMIN_URL: database.adminUrl, TEMPORAL_ADDRESS: testTemporalAddress() },
  });
  try {
    expect([stack.pidOf('postgres'), stack.pidOf('temporal')]).toEqual([undefined, undefined]);
    expect(existsSync(join(stack.home, 'postgres'))).toBe(false);
    expect(stack.credentials).toMatchObject({ starts: 1, temporalAddress: testTemporalAddress() });
  } finally {
    await stack.remove();
    await database.drop();
    program.remove();
  }
}, 60_000);
