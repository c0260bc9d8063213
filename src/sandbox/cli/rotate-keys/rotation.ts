import type { LinkShares } from '../../../commerce/payment-links/share';
import type { Tickets } from '../../../commerce/tickets/tickets';
import { appendAuditLine } from '../../../foundation/audit-log/audit-log';
import type { Database } from '../../../foundation/db/database';
import type { DocumentKeys } from '../../../foundation/vault/document-keys';
import type { OpenKeys } from '../../../foundation/vault/open-keys';
import type { Vault } from '../../../foundation/vault/vault';
import type { BeneficiaryKeys } from '../../../money/beneficiaries/beneficiary';
import type { EvidenceSeal } from '../../../money/disputes/evidence';
import type { AliasKeys } from '../../../money/p2p/alias-keys';
import type { SigningKeys } from '../../../open-banking/keys/signing-keys';
import type { ProfileSeal } from '../../../people/customers/customer';
import type { Identifiers } from '../../../people/customers/identifiers';
import type { Authenticators } from '../../../people/identity/authenticators';
import type { CallbackSecrets } from '../../../people/identity/callback-secrets';
import type { Users } from '../../../people/identity/users/user';
import type { IntegrationParameters } from '../../../people/onboarding/parameters';

/** How many records were brought under the current key. */
export interface Rotation {
  /** Of a key service, wrapped anew. */
  dataKeys: number;
  cards: number;
  fingerprints: number;
  ibans: number;
  callbackSecrets: number;
  evidence: number;
  profiles: number;
  documents: number;
  authenticators: number;
  users: number;
  unreadSecrets: number;
  aliases: number;
  beneficiaries: number;
  linkRecipients: number;
  tickets: number;
  signingKeys: number;
  /** Of what people are found by, under the first of VAULT_HMAC_KEY. */
  hashes: number;
}

/**
 * Brings everything lasting under the first of VAULT_KEYS, FINGERPRINT_KEYS and VAULT_HMAC_KEY, batch by batch, while the
 * platform runs. What it cannot reach
 * ends by itself: a CVV after CVV_TTL_MS, a queued message after MESSAGE_TTL_MS, a stored answer after IDEMPOTENCY_RETENTION_MS. Safe to cut off and repeat.
 */
export async function rotateKeys(
  database: Database,
  vault: Vault,
  callbackSecrets: CallbackSecrets,
  evidenceSeal: EvidenceSeal,
  profileSeal: ProfileSeal,
  documentKeys: DocumentKeys,
  authenticatorSeals: Pick<Authenticators, 'reseal'>[],
  users: Pick<Users, 'reseal' | 'rehash'>,
  parameters: Pick<IntegrationParameters, 'reseal'>,
  aliases: Pick<AliasKeys, 'reseal' | 'rehash'>,
  beneficiaries: Pick<BeneficiaryKeys, 'reseal' | 'rehash'>,
  shares: Pick<LinkShares, 'reseal'>,
  tickets: Pick<Tickets, 'reseal'>,
  signingKeys: Pick<SigningKeys, 'reseal'>,
  keys: Pick<OpenKeys, 'rewrap'>,
  identifiers: Identifiers,
): Promise<Rotation> {
  const dataKeys = await keys.rewrap();
  const cards = await untilNone(() => vault.rewrap(database.system));
  // Once: each call brings all of them.
  const fingerprints = await vault.moveFingerprints(database.system);
  const ibans = await untilNone(() => vault.resealIbans(database.system));
  const secrets = await untilNone(() => callbackSecrets.reseal(database.system));
  const evidence = await untilNone(() => evidenceSeal.reseal(database.system));
  const profiles = await untilNone(() => profileSeal.rewrap(database.system));
  const documents = await untilNone(() => documentKeys.rewrap(database.system));
  let authenticators = 0;
  for (const seal of authenticatorSeals) authenticators += await untilNone(() => seal.reseal(database.system));
  const done: Rotation = {
    dataKeys,
    cards,
    fingerprints,
    ibans,
    callbackSecrets: secrets,
    evidence,
    profiles,
    documents,
    authenticators,
    users: await untilNone(() => users.reseal(database.system)),
    unreadSecrets: await untilNone(() => parameters.reseal(database.system)),
    aliases: await untilNone(() => aliases.reseal(database.system)),
    beneficiaries: await untilNone(() => beneficiaries.reseal(database.system)),
    linkRecipients: await untilNone(() => shares.reseal(database.system)),
    tickets: await untilNone(() => tickets.reseal(database.system)),
    signingKeys: await untilNone(() => signingKeys.reseal()),
    hashes: 0,
  };
  // Once: each call brings all of them.
  done.hashes += await identifiers.rehash(database.system, (row) => profileSeal.open(row));
  done.hashes += await users.rehash(database.system);
  done.hashes += await aliases.rehash(database);
  done.hashes += await beneficiaries.rehash(database.system);
  await appendAuditLine(database.system, {
    actor: 'operator at the console',
    action: 'vault.rotate_keys',
    result: 'done',
    detail: { ...done },
  });
  return done;
}

async function untilNone(batch: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let done = await batch(); done > 0; done = await batch()) total += done;
  return total;
}
