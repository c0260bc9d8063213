import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { Keys } from '../config/key-source';
import { Keyring } from './keyring';
import { reseal } from './reseal';

/** Data keys of documents and of their files, wrapped by a key of VAULT_KEYS. */
export class DocumentKeys {
  private readonly wrapping: Keyring;

  /** `setting`: VAULT_KEYS. */
  constructor(setting: Keys) {
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
  async rewrap(system: Knex, limit?: number): Promise<number> {
    const documents = { table: 'customer_documents', column: 'content_key' };
    const files = { table: 'files', column: 'data_key' };
    return (
      (await reseal(system, this.wrapping, documents, limit)) + (await reseal(system, this.wrapping, files, limit))
    );
  }
}
