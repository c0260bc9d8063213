import type { Engine } from '../../foundation/temporal/engine';

/** How long the engine may take to accept a command. */
const ENGINE_DEADLINE_MS = 3_000;

/** Tells the engine, if it is there: what it did not hear the workers' rounds tell it later. */
export async function wake(engine: Engine, command: () => Promise<void>): Promise<void> {
  await engine.connection.withDeadline(Date.now() + ENGINE_DEADLINE_MS, command).catch(() => undefined);
}
