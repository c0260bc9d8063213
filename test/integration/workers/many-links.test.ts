import knexFactory, { type Knex } from 'knex';
import { PAYMENT_LINK_FLOW } from '../../../src/commerce/payment-links/flow';
import { type Database, openDatabase } from '../../../src/foundation/db/database';
import type { Engine } from '../../../src/foundation/temporal/engine';
import { CallbackSecrets } from '../../../src/people/identity/callback-secrets';
import { seedSandbox } from '../../../src/sandbox/seed/tenants';
import { Sweeps } from '../../../workers/sweeps';
import { until } from '../../e2e/client';
import { createTestDatabase } from '../../setup/environment';
import { loneEngine } from '../../setup/lone-engine';

/** A hundred thousand links that wait, with an engine that has never heard of them, and no worker. */

const LINKS = 100_000;
const DUE = 700;
const KEYS = `k1:${Buffer.alloc(32, 9).toString('base64')}`;

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let owner: Knex;
let database: Database;
let engine: Engine;
let sweeps: Sweeps;

beforeAll(async () => {
  place = await createTestDatabase('many_links');
  owner = knexFactory({ client: 'pg', connection: place.adminUrl, pool: { min: 0, max: 2 } });
  database = openDatabase(place.logins, 4, 'test-many-links');
  const { tenantId, organizationId, terminalId } = await seedSandbox(database.system, new CallbackSecrets(KEYS));
  await database.tenant(tenantId, (trx) =>
    trx.raw(
      `INSERT INTO payment_links (id, tenant_id, organization_id, terminal_id, status, status_detail, token_digest, title,
         currency, amount_min_minor, amount_max_minor, most_minor, approvals_needed, expires_at, look_at, created_by)
       SELECT 'lnk_' || lpad(n::text, 26, '0'), :tenantId, :organizationId, :terminalId, 'active', 'Buyers can pay.',
         sha256(n::text::bytea), 'A gift', 'EUR', 100, 500, 500, 0, now() + n * interval '1 minute' + interval '1 hour',
         now() + n * interval '1 minute' + interval '1 hour', 'cli_seller'
       FROM generate_series(1, :LINKS) n`,
      { tenantId, organizationId, terminalId, LINKS },
    ),
  );
  await owner.raw('ANALYZE payment_links');
  engine = await loneEngine();
  const timers = { firstAnswerMs: 1_000, lostFlowMs: 0 };
  sweeps = new Sweeps(database.system, engine, timers, { paymentLink: PAYMENT_LINK_FLOW });
}, 120_000);
afterAll(async () => {
  await engine?.close();
  await owner?.destroy();
  await database?.close();
  await place?.drop();
});

const flows = async () =>
  Number((await engine.client.connection.workflowService.countWorkflowExecutions({ namespace: 'default' })).count);

test('while nothing is due of them they cost rows: no flow, no timer, whatever looks for lost ones', async () => {
  expect(await sweeps.bringUnheard()).toBe(0);
  expect(await sweeps.restartLost()).toBe(0);
  expect(await flows()).toBe(0);
});

test('what is due is found by its index, and brought in batches, those that have waited longest first', async () => {
  await owner.raw(
    "UPDATE payment_links SET look_at = now() - interval '1 minute' - right(id, 8)::integer * interval '1 second' WHERE id <= ?",
    [`lnk_${`${DUE}`.padStart(26, '0')}`],
  );
  const unheard = PAYMENT_LINK_FLOW.unheard as (system: Knex) => Knex.QueryBuilder;
  const { sql, bindings } = unheard(database.system).toSQL();
  const { rows } = await database.system.raw(`EXPLAIN ${sql}`, bindings as Knex.Value[]);
  const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain('Index Scan using payment_links_due');
  expect(plan).not.toContain('Sort');

  const brought = await sweeps.bringUnheard();
  expect(brought).toBeGreaterThan(0);
  expect(brought).toBeLessThan(DUE);
  await until('the engine counts them', async () => (await flows()) === brought);
  // Without a worker nothing became of them: the same ones are due, and their flows are only told again.
  expect(await sweeps.bringUnheard()).toBe(brought);
  expect(await flows()).toBe(brought);
  const [longest] = await database.system('payment_links').orderBy('look_at').limit(1);
  const { status } = await engine.client.workflow.getHandle(PAYMENT_LINK_FLOW.id(longest)).describe();
  expect(status.name).toBe('RUNNING');
}, 120_000);
