import { readFileSync } from 'node:fs';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Config } from '../config/config';
import { createDataConverter } from './data-converter';

/** The connection to Temporal that clients and the workers of one process share. */
export interface Engine {
  client: Client;
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  /** Where operators find the console, for links in the engine's UI. */
  consoleUrl?: string;
  close(): Promise<void>;
}

/** Connects to the engine. Rejects when it cannot be reached. */
export async function connectEngine(config: Config): Promise<Engine> {
  const address = config.temporal.address ?? `127.0.0.1:${config.ports.temporal}`;
  const connection = await NativeConnection.connect({ address });
  const { namespace, taskQueue } = config.temporal;
  const dataConverter = createDataConverter(config.keys.codec!);
  // The native connection is the worker's own: eager starts hand the first task straight to it.
  const client = new Client({ connection, namespace, dataConverter });
  const consoleUrl = `${config.publicUrl}/console`;
  return { client, connection, namespace, taskQueue, consoleUrl, close: () => connection.close() };
}

/** The workflow code as it was bundled at build time. */
export function readBundle(path: string): { code: string } {
  return { code: readFileSync(path, 'utf8') };
}
