import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { Keyring } from './keyring';

/** Data keys of documents and of their files, wrapped by a key of VAULT_KEYS. */
export class DocumentKeys {
  private readonly wrapping: Keyring;

  /** `setting`: VAULT_KEYS. */
  constructor(setting: string) {
    this.wrapping = new Keyring(setting, 'customer-document');
  }

  /** A new data key, and its wrapped form for the row of `id`. */
  create(id: string): { key: Buffer; wrapped: Buffer } {
    const key = randomBytes(32);
    return { key, wrapped: this.wrapping.seal(key, id) };
  }

  open(id: string, wrapped: Buffer): Buffer {
    return this.wrapping.open(wrapped, id);
  }

  /** Wraps up to `limit` data keys of either kind anew under the current key; answers how many. Runs as the system role. */
  async rewrap(system: Knex, limit = 500): Promise<number> {
    const documents = await this.rewrapIn(system, 'customer_documents', 'content_key', limit);
    return documents + (await this.rewrapIn(system, 'files', 'data_key', limit));
  }

  private rewrapIn(system: Knex, table: string, column: string, limit: number): Promise<number> {
    const mark = this.wrapping.currentMark;
    return system.transaction(async (trx) => {
      const rows = await trx(table)
        .whereRaw('substring(?? FOR ?) <> ?', [column, mark.length, mark])
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .select('id', column);
      for (const row of rows)
        await trx(table)
          .where({ id: row.id })
          .update({ [column]: this.wrapping.seal(this.open(row.id, row[column]), row.id) });
      return rows.length;
    });
  }
}
