import { createPublicKey, verify } from 'node:crypto';

/**
 * True when `signature` (base64) is the RSA signature (RSASSA-PKCS1-v1_5 with SHA-256, RFC 8017 section 8.2) of `content`.
 * False on anything else; never throws.
 * @param key the processor's RSA key, PEM: its public half is enough.
 */
export function isSignatureOf(content: Buffer, signature: string | undefined, key: string): boolean {
  const bytes = Buffer.from(signature ?? '', 'base64');
  // Base64 in its one right form: Buffer reads much else as the same bytes.
  if (!signature || bytes.toString('base64') !== signature) return false;
  try {
    const publicKey = createPublicKey(key);
    return publicKey.asymmetricKeyType === 'rsa' && verify('sha256', content, publicKey, bytes);
  } catch {
    // Not a key.
    return false;
  }
}
