import type { Knex } from 'knex';
import type { AliasName } from '../../domain/alias';
import type { Keys } from '../../foundation/config/key-source';
import { Keyring, Mac } from '../../foundation/vault/keyring';
import { reseal } from '../../foundation/vault/reseal';
import type { Identifiers } from '../../people/customers/identifiers';

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
  macOf({ type, value }: AliasName): Buffer {
    return type === 'handle' ? this.handles.of(value) : this.identifiers.of(type, value).mac;
  }

  seal(aliasId: string, value: string): Buffer {
    return this.keys.seal(Buffer.from(value), aliasId);
  }

  open(aliasId: string, sealed: Buffer): string {
    return this.keys.open(sealed, aliasId).toString();
  }

  /** Brings up to `limit` aliases under the current key; answers how many. Runs as the system role. */
  reseal(system: Knex, limit?: number): Promise<number> {
    return reseal(system, this.keys, { table: 'p2p_aliases', column: 'sealed' }, limit);
  }
}
