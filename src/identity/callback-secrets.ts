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
}
