import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Engine } from '../../src/foundation/temporal/engine';
import { startEngine } from './services';

/** The engine itself and no worker: what is started or told stays as it was started or told. `close` ends it too. */
export async function loneEngine(): Promise<Engine> {
  const server = await startEngine();
  const [connection, native] = await Promise.all([
    Connection.connect({ address: server.address }),
    NativeConnection.connect({ address: server.address }),
  ]);
  return {
    client: new Client({ connection, namespace: 'default' }),
    connection: native,
    acceptMs: 20_000,
    namespace: 'default',
    taskQueue: `alone-${randomUUID()}`,
    close: async () => {
      await Promise.all([connection.close(), native.close()]);
      await server.stop();
    },
  };
}
