import knexFactory, { type Knex } from 'knex';
import { fill } from '../../../bench/growth/fill';
import { workflowId } from '../../../src/domain/flows';
import { newId } from '../../../src/domain/ids';
import { type Database, openDatabase } from '../../../src/foundation/db/database';
import type { Engine } from '../../../src/foundation/temporal/engine';
import { TOPUP_FLOW } from '../../../src/money/payments/flow';
import { Sweeps } from '../../../workers/sweeps';
import { until } from '../../e2e/client';
import { createTestDatabase } from '../../setup/environment';
import { loneEngine } from '../../setup/lone-engine';

/** Every kind of flow, on rows of the real tables, with an engine that knows none of them, and no worker. */

const DAY_MS = 86_400_000;

let place: Awaited<ReturnType<typeof createTestDatabase>>;
let owner: Knex;
let database: Database;
let engine: Engine;

beforeAll(async () => {
  place = await createTestDatabase('lost');
  owner = knexFactory({ client: 'pg', connection: place.adminUrl, pool: { min: 0, max: 2 } });
  database = openDatabase(place.logins, 4, 'test-lost');
  await fill({ owner, database }, 2_000);
  engine = await loneEngine();
});
afterAll(async () => {
  await engine?.close();
  await owner?.destroy();
  await database?.close();
  await place?.drop();
});

/** Reopens the first row that is like this, as its last change left it long ago. */
async function reopen(table: string, like: object, columns: object): Promise<string> {
  const { id } = await owner(table).where(like).orderBy('id').first('id');
  await owner(table).where({ id }).update(columns);
  return id;
}

/** A daily transfer between two customers, told to the engine long ago, and made until the day before yesterday. */
async function schedule(): Promise<string> {
  const made = await owner('p2p_transfers').orderBy('id').first();
  const id = newId('transferSchedule');
  const at = new Date(Date.now() - 10 * DAY_MS);
  const { tenant_id, sender_id, recipient_id, currency } = made;
  await owner('p2p_schedules').insert({
    id,
    tenant_id,
    sender_id,
    recipient_id,
    currency,
    amount_minor: 100,
    kind: 'standing_order',
    frequency: 'daily',
    starts_at: at,
    status: 'active',
    created_by: sender_id,
    created_at: at,
    updated_at: at,
  });
  const scheduled_for = new Date(at.getTime() + 8 * DAY_MS);
  await owner('p2p_transfers').where({ id: made.id }).update({ schedule_id: id, scheduled_for });
  return id;
}

const runs = async (id: string) => (await engine.client.workflow.getHandle(id).describe()).runId;

test('a flow of any kind that the engine has lost is started anew, once', async () => {
  const open = { status: 'authorized', attempts: 1 };
  const payment = await reopen('payments', { status: 'cancelled', beneficiary: 'merchant' }, open);
  const topup = await reopen('payments', { status: 'settled', beneficiary: 'wallet' }, open);
  const refund = await reopen('refunds', {}, { status: 'pending' });
  const receipt = await reopen('unapplied_receipts', {}, { status: 'returning' });
  const dispute = await owner('disputes').where({ status: 'open' }).orderBy('id').first();
  const order = await schedule();
  const { tenant_id, customer_id } = await owner('topups').first();
  const card = newId('card');
  const check = newId('cardVerification');
  await owner('vault_cards').insert({
    id: card,
    tenant_id,
    fingerprint: 'f',
    key_id: 'k1',
    wrapped_key: 'w',
    sealed: 's',
  });
  await owner('card_verifications').insert({
    id: check,
    tenant_id,
    customer_id,
    card_id: card,
    processor: 'a',
    currency: 'EUR',
    brand: 'VISA',
    status: 'pending',
    status_detail: '',
    bin: '411111',
    last4: '1111',
    holder: 'A Person',
    expiry_month: '12',
    expiry_year: '2032',
    request: '{}',
    result_code: 0,
    request_id: 'req_1',
    attempts: 1,
    updated_at: new Date(Date.now() - DAY_MS),
  });

  const sweeps = new Sweeps(database.system, engine, { firstAnswerMs: 1_000, lostFlowMs: 60_000 });
  const started = await sweeps.restartLost();
  const flows = [
    workflowId.payment(payment),
    TOPUP_FLOW.id(await owner('payments').where({ id: topup }).first()),
    workflowId.refund(refund),
    workflowId.receipt(receipt),
    workflowId.dispute(dispute.processor, dispute.case_id),
    workflowId.cardVerification(check),
  ];
  const first = await Promise.all(flows.map(runs));
  // The schedule is back, with the occurrence of yesterday that nothing is known of.
  const { info } = await engine.client.schedule.getHandle(workflowId.p2p(order)).describe();
  expect(info.nextActionTimes.length).toBeGreaterThan(0);
  const listed = async (query: string) => Number((await engine.client.workflow.count(query)).count);
  await until('what it missed is made up for', async () => (await listed("WorkflowType = 'scheduledTransfer'")) > 0);

  await until('all are listed', async () => (await listed("WorkflowType != 'scheduledTransfer'")) === started - 1);
  // Nobody makes the transfer here, so that its occurrence stays unknown; everything else runs.
  expect(await sweeps.restartLost()).toBe(1);
  expect(await Promise.all(flows.map(runs))).toEqual(first);
  expect(await listed("WorkflowType = 'scheduledTransfer'")).toBeLessThanOrEqual(2);
});
