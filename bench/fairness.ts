import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { FloodOrder } from './flood';
import type { Measurement } from './load';
import { headersOf, payAtOnce } from './payer';
import { ask, startChild, startPlatform } from './platform';

const USAGE = 'Usage: npm run bench -- fairness [seconds of the flood]';
const PAUSE_MS = 100;

/**
 * `npm run bench -- fairness 20`: one tenant takes a payment ten times a second at most, one after the other; then another
 * tenant floods the API for so many seconds, on 500 connections. Shows how long the payments of the first one
 * take before, meanwhile and after.
 */
export async function measureFairness(args: string[]): Promise<void> {
  const seconds = Number(args[0] ?? 20);
  if (args.length > 1 || !Number.isInteger(seconds) || seconds < 1) throw new Error(USAGE);
  const platform = await startPlatform();
  const { apiUrl, clients, organizationId, other } = platform.credentials;
  const pool = new Pool(apiUrl, { connections: 4 });
  try {
    const headers = await headersOf(pool, { ...other.clients.merchant, organizationId: other.organizationId });
    const pay = () => payAtOnce(pool, headers);
    await paying(pay, 5_000);
    console.log(line('before', await paying(pay, seconds * 1000)));
    const { child } = await startChild('flood.js');
    const order: FloodOrder = { ...clients.merchant, organizationId, apiUrl, durationMs: seconds * 1000 };
    const flood = ask<Measurement>(child, order);
    await sleep(1_000);
    console.log(line('meanwhile', await paying(pay, (seconds - 1) * 1000)));
    const { count, errors, p50 } = await flood;
    console.log(`the flood: ${count} payments, ${errors} refused, p50 ${p50.toFixed(0)} ms`);
    console.log(line('after', await paying(pay, seconds * 1000)));
  } finally {
    await pool.close();
    await platform.stop();
  }
}

/** How long each payment took, in milliseconds, sorted. */
async function paying(pay: () => Promise<void>, durationMs: number): Promise<number[]> {
  const took: number[] = [];
  for (const beganAt = performance.now(); performance.now() - beganAt < durationMs; ) {
    const startedAt = performance.now();
    await pay();
    took.push(performance.now() - startedAt);
    await sleep(PAUSE_MS);
  }
  return took.sort((a, b) => a - b);
}

function line(when: string, took: number[]): string {
  const at = (share: number) => took[Math.floor((took.length - 1) * share)]!.toFixed(0);
  return `${when}: ${took.length} payments, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`;
}
