import type { Engine } from './engine';

/** How long the engine may take to accept a command. */
const DEADLINE_MS = 3_000;

/** Sends the engine a command. Rejects when the engine does not accept it in time. */
export function command<T>({ connection }: Pick<Engine, 'connection'>, send: () => Promise<T>): Promise<T> {
  return connection.withDeadline(Date.now() + DEADLINE_MS, send);
}

/** Sends a command that the workers' rounds repeat when the engine is away. False: the engine did not accept it. */
export function wake(engine: Pick<Engine, 'connection'>, send: () => Promise<unknown>): Promise<boolean> {
  return command(engine, send).then(
    () => true,
    () => false,
  );
}
