import { hash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { rowsOf } from './rows-query';

/** A fixed statement that is sent often. */
export interface Statement {
  /** What Postgres calls it. */
  readonly name: string;
  /** With `$1`, `$2` … for its values. */
  readonly text: string;
}

/** Declares a statement. Another text gets another name, so that two releases never mean different things by one. */
export function statement(name: string, text: string): Statement {
  return { name: `${name}_${hash('sha256', text, 'hex').slice(0, 8)}`, text };
}

/** Sends a statement, and answers its rows. */
export type Send = <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

/** Sends statements in a transaction, where none is prepared by name. Each value of theirs is named once, in order. */
export function sendIn(trx: Knex.Transaction): Send {
  return async ({ text }, values) => (await trx.raw(text.replace(/\$\d+/g, '?'), values as Knex.Value[])).rows;
}

/** A column was added to what a prepared statement answers, by a migration under a process that runs. */
const OUTDATED = '0A000';
/** Another session has prepared it, or this one has it already: a pooler is in between. */
const UNKNOWN = new Set(['26000', '42P05']);

/**
 * Statements that each connection of a pool prepares once: Postgres parses them no more. They run outside transactions. What
 * was prepared and fits no more is refused by Postgres before it runs, and is sent again. A pooler in transaction mode gives
 * each statement any session: behind one, nothing is prepared.
 */
export class NamedStatements {
  private readonly editions = new Map<string, number>();

  /** `direct`: no pooler stands before Postgres. A transaction for `pool` must not be `direct`. */
  constructor(
    private readonly pool: Knex,
    private direct: boolean,
  ) {}

  /** `rows`, to be passed on. */
  readonly send: Send = (wanted, values) => this.rows(wanted, values);

  /** The rows. Rejects as `pool.raw` does. */
  async rows<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const edition = this.editions.get(statement.name) ?? 0;
    try {
      return await this.sendAs(statement, edition, values);
    } catch (error) {
      const { code } = error as { code?: string };
      if (!this.direct || !(code === OUTDATED || UNKNOWN.has(code ?? ''))) throw error;
      if (code === OUTDATED) this.editions.set(statement.name, edition + 1);
      else this.direct = false;
      return this.sendAs(statement, edition + 1, values);
    }
  }

  private async sendAs<Row>({ name, text }: Statement, edition: number, values: readonly unknown[]): Promise<Row[]> {
    const { client } = this.pool;
    const connection: Client = await client.acquireConnection();
    try {
      const prepared = this.direct ? { name: `${name}_${edition}` } : undefined;
      return await rowsOf<Row>(connection, name, { text, values: values as unknown[], ...prepared });
    } finally {
      client.releaseConnection(connection);
    }
  }
}
