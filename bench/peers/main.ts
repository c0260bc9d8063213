import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import knexFactory from 'knex';
import { Pool } from 'undici';
import type { BareOrder } from '../bare-engine';
import { closedLoop, type Measurement, median } from '../load';
import { describeMachine } from '../machine';
import { challenger, headersOf, payAtOnce } from '../payer';
import { ask, startChild, startPlatform } from '../platform';
import { fetchDbos, fetchKillBill } from './fetch';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5) * 1000;
const CONCURRENCIES = [1, 16, 64];

type Shape = 'oneStep' | 'twoSteps';

interface Peer {
  name: string;
  child: ChildProcess;
}

/** Fetches what is needed and starts it on an empty database of its own. */
const PEERS: Record<string, (home: string, url: string) => Promise<Peer>> = {
  dbos: async (_home, url) => ({ name: 'DBOS', ...(await startChild('peers/dbos.js', fetchDbos(), url)) }),
  killbill: async (home, url) => {
    const { war, jetty } = fetchKillBill();
    return { name: 'Kill Bill', ...(await startChild('peers/kill-bill.js', join(home, 'kill-bill'), war, jetty, url)) };
  },
};

/**
 * `npm run bench -- peers [dbos] [killbill]`: payments of ours and, in turns, the same shapes on others, on the same
 * Postgres. They are fetched from their registries at the first run.
 */
export async function comparePeers(names: string[]): Promise<void> {
  const wanted = names.length > 0 ? names : Object.keys(PEERS);
  const unknown = wanted.filter((name) => !(name in PEERS));
  if (unknown.length > 0) throw new Error(`peers are ${Object.keys(PEERS).join(', ')}, not ${unknown.join(', ')}`);
  console.log(describeMachine());
  const platform = await startPlatform();
  const { credentials } = platform;
  const admin = knexFactory({ client: 'pg', connection: platform.adminUrl, pool: { min: 0, max: 1 } });
  const api = new Pool(credentials.apiUrl, { connections: 80 });
  const simulator = new Pool(credentials.simulatorUrl, { connections: 80 });
  const peers: Peer[] = [];
  try {
    for (const name of wanted) {
      await admin.raw('CREATE DATABASE ??', [`bench_${name}`]);
      const url = new URL(platform.adminUrl);
      url.pathname = `/bench_${name}`;
      peers.push(await PEERS[name]!(platform.home, url.toString()));
    }
    const theirs = (child: ChildProcess, shape: Shape, concurrency: number) =>
      ask<Measurement>(child, { shape, concurrency, durationMs: SECONDS } satisfies BareOrder);
    const headers = await headersOf(api, {
      ...credentials.clients.merchant,
      organizationId: credentials.organizationId,
    });
    const kinds = [
      { what: 'frictionless payments', shape: 'oneStep', client: () => () => payAtOnce(api, headers) },
      { what: '3-D Secure payments', shape: 'twoSteps', client: () => challenger(api, simulator, headers) },
    ] as const;
    console.log('| what | whose | rate | p50 ms | p99 ms | ours to theirs |\n|---|---|---|---|---|---|');
    for (const { what, shape, client } of kinds)
      for (const concurrency of CONCURRENCIES) {
        const once = client();
        const measured = new Map<string, Measurement[]>();
        const note = (name: string, round: number, one: Measurement) =>
          round > 0 && measured.set(name, [...(measured.get(name) ?? []), one]);
        // The first round warms all up.
        for (let round = 0; round <= ROUNDS; round += 1) {
          for (const { name, child } of peers) note(name, round, await theirs(child, shape, concurrency));
          note('ours', round, await closedLoop(concurrency, SECONDS, once));
        }
        const mine = median(measured.get('ours')!);
        for (const [name, rounds] of measured) {
          const one = median(rounds);
          const ratio = name === 'ours' ? '' : (mine.perSecond / one.perSecond).toFixed(2);
          console.log(`| ${what}, ${concurrency} concurrent | ${name} | ${figures(one)} | ${ratio} |`);
        }
      }
  } finally {
    for (const { child } of peers) child.disconnect();
    await Promise.all([admin.destroy(), api.close(), simulator.close()]);
    await platform.stop();
  }
}

function figures({ perSecond, p50, p99, errors }: Measurement): string {
  const failed = errors > 0 ? ` (${errors} errors)` : '';
  return `${perSecond.toFixed(1)}/s${failed} | ${p50.toFixed(1)} | ${p99.toFixed(1)}`;
}
