import { until } from '../../e2e/client';
import { ready } from '../inside';
import { place } from './place';

const WORKERS = ['tillway-api', 'tillway-worker'] as const;

/** Kills everything that runs workflow code, and waits until the supervisor has brought it back. */
export async function killWorkers(names: readonly string[] = WORKERS): Promise<void> {
  const before = names.map((name) => place.stack.pidOf(name));
  expect(before).not.toContain(undefined);
  for (const name of names) place.stack.kill(name);
  await until('new processes', async () =>
    names.every((name, n) => place.stack.pidOf(name) !== undefined && place.stack.pidOf(name) !== before[n]),
  );
  await ready(place.stack);
}
