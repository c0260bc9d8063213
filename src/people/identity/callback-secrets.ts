import type { Knex } from 'knex';
import { Keyring } from '../../foundation/vault/keyring';
import { reseal } from '../../foundation/vault/reseal';
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
  async reseal(system: Knex, limit?: number): Promise<number> {
    const current = { table: 'merchant_accounts', column: 'callback_secret_sealed' };
    const retired = {
      table: 'retired_secrets',
      column: 'secret_sealed',
      key: ['id', 'owner_id'],
      contextOf: ({ owner_id }: Record<string, string>) => owner_id!,
    };
    return (await reseal(system, this.keys, current, limit)) + (await reseal(system, this.keys, retired, limit));
  }
}
