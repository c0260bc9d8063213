import { until } from '../e2e/client';
import type { Stack } from '../setup/stack';
import { ready } from './inside';

/** Kills processes of a platform, and waits until the supervisor has brought them back. */
export async function killProcesses(stack: Stack, names: readonly string[]): Promise<void> {
  const before = names.map((name) => stack.pidOf(name));
  expect(before).not.toContain(undefined);
  for (const name of names) stack.kill(name);
  await until('new processes', async () =>
    names.every((name, n) => stack.pidOf(name) !== undefined && stack.pidOf(name) !== before[n]),
  );
  await ready(stack);
}
