import type { Config } from '../../config/config';
import type { KeyServiceKind } from '../../config/settings-keys';
import { AwsKeyService } from './aws';
import { GcpKeyService } from './gcp';
import type { KeyService } from './key-service';
import { TransitKeyService } from './transit';

/** The services that the settings name, by their kind: what wraps, and what only unwraps. */
export function createKeyServices(settings: Config['keyService']): Map<KeyServiceKind, KeyService> {
  const { seals, alsoReads, timeoutMs, aws, gcp, vault } = settings;
  const make: Record<KeyServiceKind, () => KeyService> = {
    aws: () => new AwsKeyService({ ...aws, keyId: aws.keyId!, timeoutMs }),
    gcp: () => new GcpKeyService({ ...gcp, key: gcp.key!, timeoutMs }),
    vault: () => new TransitKeyService({ ...vault, url: vault.url!, key: vault.key!, timeoutMs }),
  };
  const kinds = new Set<KeyServiceKind>(seals === 'file' ? alsoReads : [seals, ...alsoReads]);
  return new Map([...kinds].map((kind) => [kind, make[kind]()]));
}
