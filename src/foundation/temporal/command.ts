import type { Engine } from './engine';

type Commanded = Pick<Engine, 'connection' | 'acceptMs'>;

/** Sends the engine a command. Rejects when the engine does not accept it in time. */
export function command<T>({ connection, acceptMs }: Commanded, send: () => Promise<T>): Promise<T> {
  return connection.withDeadline(Date.now() + acceptMs, send);
}

/** Sends a command that the workers' rounds repeat when the engine is away. False: the engine did not accept it. */
export function wake(engine: Commanded, send: () => Promise<unknown>): Promise<boolean> {
  return command(engine, send).then(
    () => true,
    () => false,
  );
}
