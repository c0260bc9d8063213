import type { Keys } from '../../foundation/config/key-source';
import type { Database } from '../../foundation/db/database';
import { Messenger } from '../../foundation/messages/messenger';
import type { Vault } from '../../foundation/vault/vault';
import { ProfileSeal } from '../../people/customers/customer';
import { CardExpiryNotices } from './expiry';
import type { CardUpdateDependencies } from './update';

/** What the steps of saved cards work with. */
export interface SavedCardDependencies {
  updates: CardUpdateDependencies;
  expiry: CardExpiryNotices;
}

/** `vaultKeys`: VAULT_KEYS; `expiryNoticeMs`: CARD_EXPIRY_NOTICE_MS. */
export function savedCardDependencies(
  database: Database,
  vault: Vault,
  { vaultKeys, expiryNoticeMs }: { vaultKeys: Keys; expiryNoticeMs: number },
): SavedCardDependencies {
  const letters = { messenger: new Messenger(vaultKeys), profiles: new ProfileSeal(vaultKeys) };
  return { updates: { vault, letters }, expiry: new CardExpiryNotices(database.system, letters, expiryNoticeMs) };
}
