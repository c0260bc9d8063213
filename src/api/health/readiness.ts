import type { Platform } from '../../../workers/platform';

const READINESS_MS = 1_500;

type Readiness = Record<'database' | 'engine' | 'worker' | 'keys', boolean>;

/** Whether each part answers. Questions at the same time share one answer: anybody may ask, and each asks others. */
export function readinessOf(platform: Platform): () => Promise<Readiness> {
  let asking: Promise<Readiness> | undefined;
  return () => {
    asking ??= askAll(platform).finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

/** Asks every part that a payment needs, all at the same time and with a short time limit. */
async function askAll(platform: Platform): Promise<Readiness> {
  const { database, engine } = platform;
  const answers = (question: Promise<unknown>) =>
    within(question).then(
      () => true,
      () => false,
    );
  const pollers = engine.connection.withDeadline(Date.now() + READINESS_MS, () =>
    engine.client.workflowService.describeTaskQueue({
      namespace: engine.namespace,
      taskQueue: { name: engine.taskQueue },
      // The activity queue, because the embedded worker of the API polls for workflow tasks only.
      taskQueueType: 2,
    }),
  );
  const [databaseUp, engineUp, workerUp] = await Promise.all([
    answers(database.system.raw('SELECT 1')),
    answers(pollers),
    pollers.then(
      ({ pollers: found }) => hasRecent(found),
      () => false,
    ),
  ]);
  return { database: databaseUp, engine: engineUp, worker: workerUp, keys: platform.keys.isUp() };
}

function hasRecent(pollers: { lastAccessTime?: { seconds?: unknown } | null }[] | null | undefined): boolean {
  // A long poll lasts a minute. A poller that was silent for longer is gone.
  return (pollers ?? []).some((poller) => Date.now() / 1000 - Number(poller.lastAccessTime?.seconds ?? 0) < 70);
}

async function within<T>(question: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), READINESS_MS);
  });
  return Promise.race([question, late]).finally(() => clearTimeout(timer));
}
