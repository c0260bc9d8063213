import type { Knex } from 'knex';
import { Keyring } from '../vault/keyring';

/** The secrets that sign our notifications to merchants. The service computes with them, so they are sealed, not hashed. */
export class CallbackSecrets {
  private readonly keys: Keyring;

  /** `setting`: VAULT_KEYS. */
  constructor(setting: string) {
    this.keys = new Keyring(setting, 'callback-secret');
  }

  seal(secret: string, merchantAccountId: string): Buffer {
    return this.keys.seal(Buffer.from(secret), merchantAccountId);
  }

  /** Throws when the key is gone or the bytes belong to another account. */
  open(sealed: Buffer, merchantAccountId: string): string {
    return this.keys.open(sealed, merchantAccountId).toString();
  }

  /** Seals up to `limit` secrets anew under the current key; answers how many. Runs as the system role. */
  async reseal(system: Knex, limit = 500): Promise<number> {
    const mark = this.keys.currentMark;
    return system.transaction(async (trx) => {
      const rows = await trx('merchant_accounts')
        .whereRaw('substring(callback_secret_sealed FOR ?) <> ?', [mark.length, mark])
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .select('id', 'callback_secret_sealed');
      for (const row of rows)
        await trx('merchant_accounts')
          .where({ id: row.id })
          .update({ callback_secret_sealed: this.seal(this.open(row.callback_secret_sealed, row.id), row.id) });
      return rows.length;
    });
  }
}
