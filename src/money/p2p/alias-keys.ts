import type { Knex } from 'knex';
import type { AliasName } from '../../domain/alias';
import type { Keys } from '../../foundation/config/key-source';
import type { Database } from '../../foundation/db/database';
import { Keyring, Mac } from '../../foundation/vault/keyring';
import { inBatches } from '../../foundation/vault/rehash';
import { reseal } from '../../foundation/vault/reseal';
import type { Identifiers } from '../../people/customers/identifiers';

/** One row of `p2p_aliases`. */
interface AliasRow {
  id: string;
  tenant_id: string;
  type: AliasName['type'];
  mac: Buffer;
  sealed: Buffer;
}

/** Finds aliases by keyed hashes, and seals them for their owner to read. */
export class AliasKeys {
  private readonly handles: Mac;
  private readonly keys: Keyring;

  /** `vaultKeys`: VAULT_KEYS; `hmacKey`: VAULT_HMAC_KEY. */
  constructor(
    private readonly identifiers: Identifiers,
    { vaultKeys, hmacKey }: { vaultKeys: Keys; hmacKey: string },
  ) {
    this.handles = new Mac(hmacKey, 'p2p-handle');
    this.keys = new Keyring(vaultKeys, 'p2p-alias');
  }

  /** The hash of an address is the same here as in the record of its customer. */
  macOf(alias: AliasName): Buffer {
    return this.macsOf(alias)[0]!;
  }

  /** What an alias may be stored under, the newest key first. */
  macsOf({ type, value }: AliasName): Buffer[] {
    return type === 'handle' ? this.handles.all(value) : this.identifiers.macs(type, value);
  }

  seal(aliasId: string, value: string): Buffer {
    return this.keys.seal(Buffer.from(value), aliasId);
  }

  open(aliasId: string, sealed: Buffer): string {
    return this.keys.open(sealed, aliasId).toString();
  }

  /**
   * Brings the hashes of all aliases under the newest key, and those of transfers that wait for one of them; answers how many
   * aliases changed. In the tenants' own role, which alone writes transfers.
   */
  async rehash(database: Pick<Database, 'system' | 'tenant'>): Promise<number> {
    let changed = 0;
    await inBatches(database.system, 'p2p_aliases', async (ids) => {
      const rows: AliasRow[] = await database.system('p2p_aliases').whereIn('id', ids).select();
      for (const row of rows)
        await database.tenant(row.tenant_id, async (trx) => {
          const mac = this.macOf({ type: row.type, value: this.open(row.id, row.sealed) });
          if (mac.equals(row.mac)) return;
          changed += await trx('p2p_aliases').where({ id: row.id, mac: row.mac }).update({ mac });
          await this.claim(trx, { ...row, mac });
        });
    });
    return changed;
  }

  /**
   * Writes the hash of an alias into the transfers that wait for it: an earlier key, or a later one, may have made theirs.
   * Answers the ids of those transfers.
   */
  async claim(trx: Knex.Transaction, { id, type, mac, sealed, tenant_id }: AliasRow): Promise<string[]> {
    const rows: { id: string }[] = await trx('p2p_transfers')
      .where({ tenant_id, status: 'held', alias_type: type })
      .whereNull('recipient_id')
      .whereIn('alias_mac', this.macsOf({ type, value: this.open(id, sealed) }))
      .update({ alias_mac: mac })
      .returning('id');
    return rows.map((row) => row.id);
  }

  /** Brings up to `limit` aliases under the current key; answers how many. Runs as the system role. */
  reseal(system: Knex, limit?: number): Promise<number> {
    return reseal(system, this.keys, { table: 'p2p_aliases', column: 'sealed' }, limit);
  }
}
