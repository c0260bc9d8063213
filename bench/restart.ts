import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import knexFactory, { type Knex } from 'knex';
import { newId } from '../src/domain/ids';
import type { BareOrder } from './bare-engine';
import type { Measurement } from './load';
import { ask, type BenchPlatform, startChild, startPlatform } from './platform';

const USAGE = 'Usage: npm run bench -- restart [number of flows]';
const BARE_MS = 10_000;
/** As many starts at a time as the sweep makes. */
const AT_ONCE = 8;
const HOUR_MS = 3_600_000;
const RUNNING = "WorkflowType = 'payment' AND ExecutionStatus = 'Running'";

/**
 * `npm run bench -- restart 10000`: so many payments wait for their capture, and the engine knows none of their flows. Shows
 * how fast the platform's workers start them anew, beside how fast the bare engine starts workflows that do one step and wait,
 * measured before and after on the same engine, with a worker each.
 */
export async function restart(args: string[]): Promise<void> {
  const count = Number(args[0] ?? 10_000);
  if (args.length > 1 || !Number.isInteger(count) || count < 1) throw new Error(USAGE);
  const platform = await startPlatform({ LOST_FLOW_MS: '5000' });
  const owner = knexFactory({ client: 'pg', connection: platform.adminUrl, pool: { min: 0, max: 2 } });
  const connection = await Connection.connect({ address: platform.temporalAddress });
  const engine = await startChild('bare-engine.js', platform.temporalAddress);
  try {
    const client = new Client({ connection });
    const bare = () =>
      ask<Measurement>(engine.child, {
        shape: 'waits',
        concurrency: AT_ONCE,
        durationMs: BARE_MS,
      } satisfies BareOrder);
    const before = await bare();
    console.log(`bare engine, before: ${before.perSecond.toFixed(0)} starts/s`);
    await insertOpen(owner, platform, count);
    const ours = await measure(client, count);
    console.log(
      `${count} lost flows: ${ours.startsPerSecond.toFixed(0)} starts/s; each has done its first step after ` +
        `${ours.settledSeconds.toFixed(0)} s (${(count / ours.settledSeconds).toFixed(0)}/s)`,
    );
    const after = await bare();
    console.log(`bare engine, after: ${after.perSecond.toFixed(0)} starts/s`);
    const mean = (before.perSecond + after.perSecond) / 2;
    console.log(`ratio ${(ours.startsPerSecond / mean).toFixed(2)}`);
    await eachOnce(client, count);
  } finally {
    engine.child.send('stop');
    await Promise.all([owner.destroy(), connection.close()]);
    await platform.stop();
  }
}

/** Payments that were authorized an hour ago and wait for their merchant. */
async function insertOpen(owner: Knex, { credentials }: BenchPlatform, count: number): Promise<void> {
  const { tenantId, organizationId } = credentials;
  const { terminal_id } = await owner('merchant_accounts').where({ organization_id: organizationId }).first();
  const at = new Date(Date.now() - HOUR_MS);
  const rows = Array.from({ length: count }, () => ({
    id: newId('payment'),
    tenant_id: tenantId,
    organization_id: organizationId,
    terminal_id,
    merchant_transaction_id: randomUUID(),
    method_id: 1,
    kind: 'card',
    brand: 'VISA',
    processor: 'a',
    currency: 'EUR',
    amount_minor: 1_000,
    authorized_minor: 1_000,
    capture_mode: 'manual',
    status: 'authorized',
    result_code: 0,
    status_detail: 'Authorized; waiting for the capture.',
    request: '{"threeDS": "auto", "storeCard": false}',
    attempts: 1,
    submitted_at: at,
    waits_until: new Date(Date.now() + 24 * HOUR_MS),
    created_at: at,
    updated_at: at,
  }));
  await owner.transaction((trx) => trx.batchInsert('payments', rows, 1_000));
}

/** Watches the engine until all run and all wait for their merchant. */
async function measure(client: Client, count: number): Promise<{ startsPerSecond: number; settledSeconds: number }> {
  const counted = async (query: string) => Number((await client.workflow.count(query)).count);
  let began: { at: number; count: number } | undefined;
  let startsPerSecond = 0;
  for (;;) {
    const started = await counted(RUNNING);
    const now = performance.now();
    if (!began && started > 0) began = { at: now, count: started };
    if (began && !startsPerSecond && started >= count)
      startsPerSecond = ((started - began.count) * 1000) / (now - began.at);
    if (began && started >= count && (await counted(`${RUNNING} AND TillwayWaitsFor = 'merchant'`)) >= count)
      return { startsPerSecond, settledSeconds: (performance.now() - began.at) / 1000 };
    await sleep(500);
  }
}

/** Throws when a flow was started more than once. */
async function eachOnce(client: Client, count: number): Promise<void> {
  const all = Number((await client.workflow.count("WorkflowType = 'payment'")).count);
  if (all !== count) throw new Error(`${all} runs of ${count} flows`);
}
