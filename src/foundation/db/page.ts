import type { Knex } from 'knex';

export interface Page {
  limit: number;
  /** The id of the row after which the page starts. */
  cursor?: string;
}

/** Asks for one row more than the page holds, newest first: the one too many tells that there is another page. */
export function paged<Rows extends Knex.QueryBuilder>(rows: Rows, { limit, cursor }: Page): Rows {
  rows.orderBy('id', 'desc').limit(limit + 1);
  if (cursor) rows.where('id', '<', cursor);
  return rows;
}
