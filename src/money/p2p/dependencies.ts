import type { Keys } from '../../foundation/config/key-source';
import { Messenger } from '../../foundation/messages/messenger';
import { ProfileSeal } from '../../people/customers/customer';
import { Identifiers } from '../../people/customers/identifiers';
import type { Ledger } from '../ledger/ledger';
import { AliasKeys } from './alias-keys';
import { Invitations } from './invitations';
import type { TransferDependencies } from './send';

/** `vaultKeys`: VAULT_KEYS; `hmacKey`: VAULT_HMAC_KEY; `transferTtlMs`: TRANSFER_TTL_MS. */
export function transferDependencies(
  ledger: Ledger,
  { vaultKeys, hmacKey, transferTtlMs }: { vaultKeys: Keys; hmacKey: string; transferTtlMs: number },
): TransferDependencies {
  return {
    ledger,
    keys: new AliasKeys(new Identifiers(hmacKey), { vaultKeys, hmacKey }),
    invitations: new Invitations(new Messenger(vaultKeys), new ProfileSeal(vaultKeys)),
    transferTtlMs,
  };
}
