import type { Knex } from 'knex';
import type { Keyring } from './keyring';

/** A column that a keyring has sealed. */
interface SealedColumn {
  table: string;
  column: string;
  /** The columns that name a row. Default: `id`. */
  key?: readonly string[];
  /** What the column was sealed with as context. Default: the row's id. */
  contextOf?: (row: Record<string, string>) => string;
}

/** Seals a column of up to `limit` rows anew, those that are not under a settled key; answers how many. Runs as the system role. */
export function reseal(system: Knex, keys: Keyring, sealed: SealedColumn, limit = 500): Promise<number> {
  const { table, column, key = ['id'], contextOf = ({ id }) => id! } = sealed;
  const mark = keys.settledMark;
  return system.transaction(async (trx) => {
    const rows = await trx(table)
      .whereRaw('substring(?? FOR ?) <> ?', [column, mark.length, mark])
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .select(...key, column);
    for (const { [column]: bytes, ...named } of rows) {
      const context = contextOf(named);
      await trx(table)
        .where(named)
        .update({ [column]: keys.seal(keys.open(bytes, context), context) });
    }
    return rows.length;
  });
}
