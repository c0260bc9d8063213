import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import knexFactory, { type Knex } from 'knex';
import { openDatabase } from '../../src/foundation/db/database';
import { type BenchPlatform, startPlatform } from '../platform';
import { fill } from './fill';

const LEAST = 10_000;
const DECADE_MS = '315360000000';

export interface FilledPlatform {
  platform: BenchPlatform;
  /** The owner of its database. */
  owner: Knex;
  /** When the newest payment was made. */
  until: Date;
}

/**
 * Starts a platform, fills it with `count` payments of one merchant (see `fill`), and stops it when the work is done. With
 * BENCH_HOME it lives in that folder and stays there: the next run works on the same data.
 */
export async function withFilledPlatform(
  count: number,
  work: (filled: FilledPlatform) => Promise<void>,
): Promise<void> {
  if (!Number.isInteger(count) || count < LEAST) throw new Error(`How many payments? A number, ${LEAST} or more`);
  // Nothing starts flows for rows that never had one, or goes looking for settlement.
  const quiet = { LOST_FLOW_MS: DECADE_MS, RECONCILIATION_EVERY_MS: DECADE_MS, USER_SESSION_IDLE_MS: DECADE_MS };
  const platform = await startPlatform(quiet, process.env.BENCH_HOME);
  const owner = knexFactory({ client: 'pg', connection: platform.adminUrl, pool: { min: 0, max: 2 } });
  try {
    await work({ platform, owner, until: await fillPlatform(platform, owner, count) });
  } finally {
    await owner.destroy();
    await platform.stop();
  }
}

async function fillPlatform(platform: BenchPlatform, owner: Knex, count: number): Promise<Date> {
  const { tenantId, organizationId } = platform.credentials;
  const database = openDatabase(platform.databaseUrls, 2, 'bench-console');
  const secrets = JSON.parse(readFileSync(join(platform.home, 'secrets.json'), 'utf8'));
  const keys = { vaultKeys: secrets.VAULT_KEYS, hmacKey: secrets.VAULT_HMAC_KEY };
  try {
    return await fill({ owner, database, tenantId, organizationId, keys, say: (line) => console.log(line) }, count);
  } finally {
    await database.close();
  }
}
