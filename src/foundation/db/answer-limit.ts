import type { Client } from 'pg';

/** A statement as pg and knex send it, with its own limit where it has one. */
interface Limited {
  query_timeout?: number;
}

/**
 * Ends a connection on which a statement had no answer for `ms`, or for its own `query_timeout`: Postgres or the network is
 * gone. Whoever waits gets the error of a terminated connection.
 *
 * In place of pg's option `query_timeout`, which leaves the connection to the next statement, and which costs memory: it
 * sets `query.callback = () => …` for each statement. V8 makes a function in the old generation where the source assigns it
 * to a property, and so keeps the statement with all its values and rows until the next full collection.
 */
export function limitAnswers(connection: Client, ms: number): void {
  let due: number | undefined;
  let isWatched = false;
  const lookIn = (pauseMs: number): void => {
    isWatched = true;
    setTimeout(look, pauseMs).unref();
  };
  const look = (): void => {
    isWatched = false;
    if (due === undefined) return;
    const left = due - performance.now();
    // With a statement under way, pg closes the socket at once.
    if (left <= 0) void connection.end().catch(() => undefined);
    else lookIn(left);
  };
  const query = connection.query as (...given: unknown[]) => unknown;
  const send = (...given: unknown[]): unknown => {
    due = performance.now() + ((given[0] as Limited | undefined)?.query_timeout ?? ms);
    if (!isWatched) lookIn(ms);
    return query.apply(connection, given);
  };
  connection.query = send as Client['query'];
  // Nothing is under way any more.
  connection.on('drain', () => {
    due = undefined;
  });
}
