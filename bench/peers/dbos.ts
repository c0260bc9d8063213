import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BareOrder } from '../bare-engine';
import { closedLoop } from '../load';

/** What is used of @dbos-inc/dbos-sdk, which is fetched when it is wanted. */
interface Sdk {
  DBOS: {
    setConfig(config: object): void;
    launch(): Promise<void>;
    shutdown(): Promise<void>;
    registerWorkflow<Args extends unknown[]>(
      run: (...args: Args) => Promise<void>,
      options: { name: string },
    ): (...args: Args) => Promise<void>;
    startWorkflow<Args extends unknown[]>(
      workflow: (...args: Args) => Promise<void>,
      options: { workflowID: string },
    ): (...args: Args) => Promise<{ getResult(): Promise<void> }>;
    runStep<T>(step: () => Promise<T>, options: { name: string }): Promise<T>;
    send(workflowId: string, message: string, topic: string): Promise<void>;
    recv(topic: string, seconds: number): Promise<unknown>;
  };
}

/**
 * The shapes of the bare engine on DBOS, a library that keeps workflows in Postgres: no HTTP, no ledger, no vault.
 * Arguments: the folder that has the package, the database.
 */
async function main(): Promise<void> {
  const [folder, url] = process.argv.slice(2) as [string, string];
  const { DBOS } = createRequire(join(folder, 'package.json'))('@dbos-inc/dbos-sdk') as Sdk;
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, systemDatabasePoolSize: 32, logLevel: 'error' });
  const step = (key: string) => DBOS.runStep(async () => key, { name: 'step' });
  const oneStep = DBOS.registerWorkflow(async (key: string) => void (await step(key)), { name: 'oneStep' });
  const twoSteps = DBOS.registerWorkflow(
    async (key: string) => {
      await step(key);
      await DBOS.recv('resume', 60);
      await step(`${key}/done`);
    },
    { name: 'twoSteps' },
  );
  await DBOS.launch();
  const shapes = {
    oneStep: () => oneStep(randomUUID()),
    twoSteps: async () => {
      const workflowID = randomUUID();
      const handle = await DBOS.startWorkflow(twoSteps, { workflowID })(workflowID);
      await DBOS.send(workflowID, 'go on', 'resume');
      await handle.getResult();
    },
  };
  process.once('disconnect', () => process.exit(0));
  process.on('message', async (order: BareOrder & { shape: keyof typeof shapes }) => {
    process.send!(await closedLoop(order.concurrency, order.durationMs, shapes[order.shape]));
  });
  process.send!('ready');
}

main().catch((error: Error) => {
  console.error(error.stack);
  process.exit(1);
});
