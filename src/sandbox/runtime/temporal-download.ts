// Run as a program of its own by temporal-binary.ts: the SDK's native part downloads the server's executable into the
// folder given, and nothing of it stays loaded in the supervisor.
import { TestWorkflowEnvironment } from '@temporalio/testing';

async function download(folder: string): Promise<void> {
  const server = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', downloadDir: folder } },
  });
  await server.teardown();
}

download(process.argv[2] as string).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
