import { readFileSync } from 'node:fs';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { type Config, ConfigError } from '../config/config';
import { createDataConverter } from './data-converter';

/** The connection to Temporal that clients and the workers of one process share. */
export interface Engine {
  client: Client;
  connection: NativeConnection;
  /** How long the engine may take to accept a command, in milliseconds. */
  acceptMs: number;
  namespace: string;
  taskQueue: string;
  /** Where operators find the console, for links in the engine's UI. */
  consoleUrl?: string;
  close(): Promise<void>;
}

/** Where the engine is, and how we show who we are: a client certificate (mutual TLS), an API key, or nothing. */
export interface EngineAccess {
  address: string;
  tls?: {
    serverRootCACertificate?: Buffer;
    clientCertPair?: { crt: Buffer; key: Buffer };
    serverNameOverride?: string;
  };
  /** Sent over TLS. */
  apiKey?: string;
}

/** The access that the settings give. Throws ConfigError for a certificate or key that cannot be read. */
export function engineAccess({ temporal, ports }: Pick<Config, 'temporal' | 'ports'>): EngineAccess {
  const { address = `127.0.0.1:${ports.temporal}`, tls, apiKey } = temporal;
  if (!tls) return { address };
  const { caPath, certPath, keyPath, serverName } = tls;
  return {
    address,
    apiKey,
    tls: {
      ...(caPath && { serverRootCACertificate: pemOf('TEMPORAL_TLS_CA', caPath) }),
      ...(certPath &&
        keyPath && {
          clientCertPair: { crt: pemOf('TEMPORAL_TLS_CERT', certPath), key: pemOf('TEMPORAL_TLS_KEY', keyPath) },
        }),
      ...(serverName && { serverNameOverride: serverName }),
    },
  };
}

function pemOf(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(`${setting} names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Connects to the engine. Rejects when it cannot be reached. */
export async function connectEngine(config: Config): Promise<Engine> {
  // Nearly all that is sent is encrypted, which gzip only takes time over.
  const connection = await NativeConnection.connect({ ...engineAccess(config), grpcCompression: { codec: 'none' } });
  const { namespace, taskQueue, acceptMs } = config.temporal;
  const dataConverter = createDataConverter(config.keys.codec!);
  // The native connection is the worker's own: eager starts hand the first task straight to it.
  const client = new Client({ connection, namespace, dataConverter });
  const consoleUrl = `${config.publicUrl}/console`;
  return { client, connection, acceptMs, namespace, taskQueue, consoleUrl, close: () => connection.close() };
}

/**
 * The workflow code as it was bundled at build time. The SDK takes a stack trace for each promise of a flow, which took
 * a quarter of the CPU of workflow code: so an error there says only the line that it came from.
 */
export function readBundle(path: string): { code: string } {
  // In the first line, so that lines keep their numbers. The sandbox does not let workflow code change it later.
  return { code: `Error.stackTraceLimit = 1;${readFileSync(path, 'utf8')}` };
}
