import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../foundation/temporal/search-attributes.js';
import type { ProcessSpec } from './managed-process.js';

const READY_WITHIN_MS = 60_000;

/**
 * With one shard and the default of 20 polls a second every dispatch waits 50 ms. Eager execution spares a round trip
 * for activities and for starts from a process that has the worker in it. The development server reads its search
 * attributes from its database each time that it needs one, eleven times for a payment, unless it is told to keep them, as
 * any other server does. All measured: see docs.
 */
export const DYNAMIC_CONFIG = {
  'history.transferProcessorMaxPollRPS': '2000',
  'history.timerProcessorMaxPollRPS': '2000',
  'system.enableActivityEagerExecution': 'true',
  'system.enableEagerWorkflowStart': 'true',
  'system.forceSearchAttributesCacheRefreshOnRead': 'false',
} as const;

export interface TemporalOptions {
  binary: string;
  port: number;
  /** Absent: no UI. */
  uiPort?: number;
  namespaces: string[];
  /** Absent: in memory. */
  databaseFile?: string;
  /** Where the UI asks for payloads to be decrypted. */
  codecUrl?: string;
  env: NodeJS.ProcessEnv;
}

/** How the embedded server is run; it listens on loopback only. */
export function temporalCommand(options: TemporalOptions): Pick<ProcessSpec, 'command' | 'args' | 'env' | 'cwd'> {
  const { databaseFile, uiPort, codecUrl, env } = options;
  if (databaseFile) mkdirSync(dirname(databaseFile), { recursive: true, mode: 0o700 });
  const args = ['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(options.port), '--log-level', 'warn'];
  for (const namespace of options.namespaces) args.push('--namespace', namespace);
  for (const name of SEARCH_ATTRIBUTES) args.push('--search-attribute', `${name}=Keyword`);
  for (const [key, value] of Object.entries(DYNAMIC_CONFIG)) args.push('--dynamic-config-value', `${key}=${value}`);
  // In WAL mode a killed process loses nothing with synchronous=NORMAL; only a power cut may lose the last moments.
  if (databaseFile)
    args.push(
      '--db-filename',
      databaseFile,
      '--sqlite-pragma',
      'journal_mode=wal',
      '--sqlite-pragma',
      'synchronous=normal',
    );
  if (uiPort === undefined) args.push('--headless');
  else args.push('--ui-port', String(uiPort));
  if (uiPort !== undefined && codecUrl) args.push('--ui-codec-endpoint', codecUrl);
  // TEMPORAL_… variables of the person's own CLI profile must not reach it.
  return { command: options.binary, args, env: { PATH: env.PATH, HOME: env.HOME, TMPDIR: env.TMPDIR }, cwd: '/' };
}

/** Waits until the server answers for the namespace. `alive` is asked meanwhile. */
export async function awaitTemporal(address: string, namespace: string, alive: () => boolean): Promise<void> {
  let reason = '';
  for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until && alive(); await sleep(100)) {
    let connection: Connection | undefined;
    try {
      connection = await Connection.connect({ address, connectTimeout: 2_000 });
      await connection.workflowService.describeNamespace({ namespace });
      return;
    } catch (error) {
      reason = (error as Error).message;
    } finally {
      await connection?.close();
    }
  }
  throw new Error(`the Temporal server does not answer on ${address}: ${reason}`);
}
