import { Messenger } from '../../foundation/messages/messenger';
import { ProfileSeal } from '../../people/customers/customer';
import { Identifiers } from '../../people/customers/identifiers';
import type { Ledger } from '../ledger/ledger';
import { AliasKeys } from './alias-keys';
import { Invitations } from './invitations';
import type { P2pParts } from './send';

/** `vaultKeys`: VAULT_KEYS; `hmacKey`: VAULT_HMAC_KEY; `transferTtlMs`: TRANSFER_TTL_MS. */
export function p2pParts(
  ledger: Ledger,
  { vaultKeys, hmacKey, transferTtlMs }: { vaultKeys: string; hmacKey: string; transferTtlMs: number },
): P2pParts {
  return {
    ledger,
    keys: new AliasKeys(new Identifiers(hmacKey), { vaultKeys, hmacKey }),
    invitations: new Invitations(new Messenger(vaultKeys), new ProfileSeal(vaultKeys)),
    transferTtlMs,
  };
}
