import type { Knex } from 'knex';
import type { Keys } from '../../foundation/config/key-source';
import { Keyring } from '../../foundation/vault/keyring';
import { reseal } from '../../foundation/vault/reseal';
import { newSecret, retire } from './clients';

/** Where the secrets lie: of a merchant account, and of an endpoint for notifications. */
const COLUMNS = { merchant_accounts: 'callback_secret_sealed', notification_endpoints: 'secret_sealed' } as const;

/** The secrets that sign our notifications to merchants. The service computes with them, so they are sealed, not hashed. */
export class CallbackSecrets {
  private readonly keys: Keyring;

  /** `setting`: VAULT_KEYS. */
  constructor(setting: Keys) {
    this.keys = new Keyring(setting, 'callback-secret');
  }

  /** `ownerId`: the merchant account or the endpoint. */
  seal(secret: string, ownerId: string): Buffer {
    return this.keys.seal(Buffer.from(secret), ownerId);
  }

  /** Throws when the key is gone or the bytes belong to another owner. */
  open(sealed: Buffer, ownerId: string): string {
    return this.keys.open(sealed, ownerId).toString();
  }

  /** Gives the owner a new secret and returns it; the old one signs too for `overlapMs` more. */
  async rotate(
    system: Knex.Transaction,
    ownerId: string,
    overlapMs: number,
    table: keyof typeof COLUMNS = 'merchant_accounts',
  ): Promise<string> {
    const column = COLUMNS[table];
    const owner = await system(table).where({ id: ownerId }).forUpdate().first(column);
    const secret = newSecret();
    await system(table)
      .where({ id: ownerId })
      .update({ [column]: this.seal(secret, ownerId) });
    await retire(system, ownerId, { secret_sealed: owner[column] }, overlapMs);
    return secret;
  }

  /** Seals up to `limit` secrets anew under the current key; answers how many. Runs as the system role. */
  async reseal(system: Knex, limit?: number): Promise<number> {
    const retired = {
      table: 'retired_secrets',
      column: 'secret_sealed',
      key: ['id', 'owner_id'],
      contextOf: ({ owner_id }: Record<string, string>) => owner_id!,
    };
    let sealed = await reseal(system, this.keys, retired, limit);
    for (const [table, column] of Object.entries(COLUMNS))
      sealed += await reseal(system, this.keys, { table, column }, limit);
    return sealed;
  }
}
