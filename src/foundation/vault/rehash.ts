import type { Knex } from 'knex';

const BATCH = 500;

/** Calls `work` with the ids of a table, some at a time. */
export async function inBatches(system: Knex, table: string, work: (ids: string[]) => Promise<void>): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const ids: string[] = await system(table).where('id', '>', after).orderBy('id').limit(BATCH).pluck('id');
    if (ids.length > 0) await work(ids);
    after = ids.at(-1);
  }
}

/** A column with the hash of something that is sealed in the same row. */
interface HashedColumn {
  table: string;
  column: string;
  /** What `macOf` reads of a row, beside the id. */
  also: readonly string[];
}

/**
 * Brings a column of hashes under the newest key, while the platform runs; answers how many rows changed. `macOf`: the hash
 * that belongs there; undefined leaves it. A row that somebody changes meanwhile stays as that one writes it. Safe to cut
 * off and repeat. Runs as the system role.
 */
export async function rehash<R extends { id: string }>(
  system: Knex,
  { table, column, also }: HashedColumn,
  macOf: (row: R) => Buffer | undefined,
): Promise<number> {
  let changed = 0;
  await inBatches(system, table, async (ids) => {
    const rows: ({ id: string } & Record<string, Buffer>)[] = await system(table)
      .whereIn('id', ids)
      .select('id', column, ...also);
    for (const row of rows) {
      const mac = macOf(row as R & typeof row);
      if (!mac || mac.equals(row[column]!)) continue;
      changed += await system(table)
        .where({ id: row.id, [column]: row[column] })
        .update({ [column]: mac });
    }
  });
  return changed;
}
