import type { Knex } from 'knex';
import { Keyring } from '../../foundation/vault/keyring';
import { newSecret, retire } from './clients';

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

  /** Gives the account a new secret and returns it; the old one signs too for `overlapMs` more. */
  async rotate(system: Knex.Transaction, merchantAccountId: string, overlapMs: number): Promise<string> {
    const account = await system('merchant_accounts')
      .where({ id: merchantAccountId })
      .forUpdate()
      .first('callback_secret_sealed');
    const secret = newSecret();
    await system('merchant_accounts')
      .where({ id: merchantAccountId })
      .update({ callback_secret_sealed: this.seal(secret, merchantAccountId) });
    await retire(system, merchantAccountId, { secret_sealed: account.callback_secret_sealed }, overlapMs);
    return secret;
  }

  /** Seals up to `limit` secrets anew under the current key; answers how many. Runs as the system role. */
  async reseal(system: Knex, limit = 500): Promise<number> {
    return (
      (await this.resealIn(system, 'merchant_accounts', 'callback_secret_sealed', 'id', limit)) +
      (await this.resealIn(system, 'retired_secrets', 'secret_sealed', 'owner_id', limit))
    );
  }

  private async resealIn(system: Knex, table: string, column: string, owner: string, limit: number): Promise<number> {
    const mark = this.keys.currentMark;
    return system.transaction(async (trx) => {
      const rows = await trx(table)
        .whereRaw('substring(?? FOR ?) <> ?', [column, mark.length, mark])
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .select('id', column, { owner });
      for (const row of rows)
        await trx(table)
          .where({ id: row.id })
          .update({ [column]: this.seal(this.open(row[column], row.owner), row.owner) });
      return rows.length;
    });
  }
}
