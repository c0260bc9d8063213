import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMERCE_CHECKS } from '../../src/commerce/checks';
import { auditSentTransfers } from '../../src/commerce/payouts/processor-transfers';
import { SIMULATED_PROCESSORS } from '../../src/domain/connector';
import { type Config, loadConfig } from '../../src/foundation/config/config';
import { type Database, openDatabase } from '../../src/foundation/db/database';
import { createLog } from '../../src/foundation/log/log';
import { auditBooks } from '../../src/money/books-check/books-check';
import type { Finding } from '../../src/money/books-check/check';
import { auditProcessors } from '../../src/money/books-check/processor-books';
import { auditReports } from '../../src/money/books-check/report-checks';
import { auditTransfers } from '../../src/money/books-check/suspense-checks';
import { OPEN_BANKING_CHECKS } from '../../src/open-banking/checks';
import { chargesOf, sentTransfersOf, transfersOf } from '../../src/sandbox/cli/charges';
import { findDatabaseUrls } from '../../src/sandbox/cli/sandbox';
import { openPlatform, type Platform } from '../../workers/platform';
import { type Actors, type Json, PAYMENTS, until } from '../e2e/client';
import type { Stack } from '../setup/stack';

/** What a merchant cannot see: the books, the database and the engine of a running stack. */

/** The settings its own processes run with, generated secrets included. */
export function configOf(stack: Stack): Config {
  const secrets = JSON.parse(readFileSync(join(stack.home, 'secrets.json'), 'utf8')) as Record<string, string>;
  const kept = ['VAULT_KEYS', 'FINGERPRINT_KEYS', 'VAULT_HMAC_KEY', 'CODEC_KEYS', 'PROCESSOR_SECRETS'].map((name) => [
    name,
    secrets[name],
  ]);
  const env: NodeJS.ProcessEnv = { ...Object.fromEntries(kept), ...stack.env };
  const { url, systemUrl, opsUrl } = findDatabaseUrls(loadConfig(env));
  Object.assign(env, { DATABASE_URL: url, DATABASE_SYSTEM_URL: systemUrl, DATABASE_OPS_URL: opsUrl });
  env.TEMPORAL_ADDRESS = stack.credentials.temporalAddress;
  return loadConfig(env);
}

/** A machine that is busy with a restart gives a connection later. */
const PATIENCE_MS = 20_000;

export function databaseOf(stack: Stack): Database {
  return openDatabase(findDatabaseUrls(configOf(stack)), 4, 'test-inside', PATIENCE_MS);
}

/** The platform itself, opened in this process beside those of the stack. It runs no worker. */
export function platformOf(stack: Stack): Promise<Platform> {
  return openPlatform(configOf(stack), 'test-inside', createLog('test-inside', 'silent'));
}

/** What `npm run audit` finds, and how much it looked at. */
export async function auditOf(stack: Stack): Promise<{ compared: number; open: number; findings: Finding[] }> {
  const config = configOf(stack);
  const database = databaseOf(stack);
  try {
    const { simulatorUrl } = stack.credentials;
    const books = Object.fromEntries(SIMULATED_PROCESSORS.map((letter) => [letter, chargesOf(simulatorUrl, letter)]));
    const ours = await auditBooks(database.ops, [...COMMERCE_CHECKS, ...OPEN_BANKING_CHECKS]);
    const reports = await auditReports(database.ops, config.timers.reconciliationGraceMs);
    const processors = [...(await auditProcessors(database.ops, books)).values()];
    const transfers = await Promise.all(
      SIMULATED_PROCESSORS.map(async (processor) =>
        auditTransfers(database.ops, processor, await transfersOf(simulatorUrl, processor)),
      ),
    );
    const payouts = await auditSentTransfers(database.ops, 'b', await sentTransfersOf(simulatorUrl, 'b'));
    return {
      compared: processors.reduce((sum, { compared }) => sum + compared, 0),
      open: processors.reduce((sum, { open }) => sum + open, 0),
      findings: [ours, reports, ...processors, ...transfers, payouts].flatMap(({ findings }) => findings),
    };
  } finally {
    await database.close();
  }
}

/** Waits until the platform answers that all of it is ready. */
export function ready(stack: Stack): Promise<unknown> {
  return until('the platform is ready', async () => {
    const answer = await fetch(`${stack.apiUrl}/health/ready`).catch(() => undefined);
    return answer?.status === 200;
  });
}

/** A payment whose id was lost with the answer, by the id that the merchant chose; undefined while it is not known. */
export async function byTransaction({ merchant }: Actors, transactionId: unknown): Promise<Json | undefined> {
  const reply = await merchant.post(`${PAYMENTS}/status-by-transaction-id`, { transactionId }).catch(() => undefined);
  return reply?.status === 200 ? reply.body.data : undefined;
}
