import type { Knex } from 'knex';

/**
 * Inserts rows by one statement with one array for each column: Postgres parses a thousand rows as fast as one. `types`: the
 * columns and their Postgres types. Nothing is sent for no rows. Rejects with the error of the database.
 */
export async function insertRows<Column extends string>(
  trx: Knex.Transaction,
  table: string,
  types: Record<Column, 'text' | 'bytea'>,
  rows: readonly Record<Column, string | Buffer | null>[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(types) as Column[];
  const arrays = columns.map((column) => `?::${types[column]}[]`);
  const values = columns.map((column) => rows.map((row) => row[column]));
  await trx.raw(
    `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`,
    values as unknown as Knex.Value[],
  );
}
