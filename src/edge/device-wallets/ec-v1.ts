import { createDecipheriv, createHash, diffieHellman, type KeyObject, type X509Certificate } from 'node:crypto';
import { verifyDetached } from './cms-signature';
import { bytes, type EcV1Keys, publicKey } from './keys';
import { refuseToken } from './refusal';
import type { EcV1Token } from './schema';

/** EC_v1 as published in the "Payment token format reference" of Apple Pay. */
const ALGORITHM = 'id-aes256-GCM';
const PARTY_U = 'Apple';
const TAG_BYTES = 16;

/** When the token was signed, Unix milliseconds. Refuses it when its signature or the signer's chain is not good. */
export function signingTimeOf(token: EcV1Token, roots: readonly X509Certificate[], now: number): number {
  return verifyDetached(bytes(token.signature), signedContent(token), roots, now);
}

/** What the signature of a token is made over. */
export function signedContent({ header, data }: Pick<EcV1Token, 'header' | 'data'>): Buffer {
  return Buffer.concat([
    bytes(header.ephemeralPublicKey),
    bytes(data),
    Buffer.from(header.transactionId, 'hex'),
    Buffer.from(header.applicationData ?? '', 'hex'),
  ]);
}

/** The text inside `data`. `merchantHash`: SHA-256 of the merchant's id. Refuses the token when it is not for us. */
export function decryptData(token: EcV1Token, { privateKeys }: EcV1Keys, merchantHash: Buffer): string {
  const privateKey = privateKeys.get(bytes(token.header.publicKeyHash).toString('base64'));
  if (!privateKey) return refuseToken('is not encrypted to a key of this platform');
  const sharedSecret = diffieHellman({ privateKey, publicKey: ephemeralKeyOf(token) });
  const data = bytes(token.data);
  const decipher = createDecipheriv('aes-256-gcm', dataKey(sharedSecret, merchantHash), Buffer.alloc(16));
  decipher.setAuthTag(data.subarray(-TAG_BYTES));
  const text = decipher.update(data.subarray(0, -TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    // The wallet has signed these bytes and named our key: what is left is the merchant, who is part of the data's key.
    return refuseToken('was issued for another merchant');
  }
}

function ephemeralKeyOf({ header }: EcV1Token): KeyObject {
  return publicKey(bytes(header.ephemeralPublicKey));
}

/** One-step key derivation with SHA-256 (NIST SP 800-56A, section 5.8.1; ANSI X9.63), one round. */
export function dataKey(sharedSecret: Buffer, merchantHash: Buffer): Buffer {
  return createHash('sha256')
    .update(Buffer.from([0, 0, 0, 1]))
    .update(sharedSecret)
    .update(Buffer.from([ALGORITHM.length]))
    .update(ALGORITHM)
    .update(PARTY_U)
    .update(merchantHash)
    .digest();
}
