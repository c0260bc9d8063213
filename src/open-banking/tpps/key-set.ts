import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { refuse } from '../../domain/errors';
import type { Jwks, PublicJwk } from './tpp';

const MIN_RSA_BITS = 2_048;
/** RFC 7518, section 6: the private members of keys of all kinds. */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * The members of a key set (RFC 7517) that the registry keeps. Throws `invalid_request` for a private key, a key without a
 * `kid` of its own, and a weak or unreadable one. The keys are numbered in the messages.
 */
export function publicKeySet({ keys }: { keys: object[] }): Jwks {
  const kids = new Set<unknown>();
  return {
    keys: keys.map((sent, index) => {
      const field = `jwks.keys[${index}]`;
      const { kty, kid, use, alg, n, e, crv, x, y } = sent as PublicJwk;
      if (PRIVATE.some((name) => name in sent))
        refuse(field, 'must be a public key: the private part stays with its owner');
      if (typeof kid !== 'string' || kid === '' || kid.length > 200) refuse(field, 'must have a kid');
      if (kids.has(kid)) refuse(field, 'must have a kid of its own');
      kids.add(kid);
      const parts = kty === 'RSA' ? { kty, n, e } : { kty, crv, x, y };
      const key = readKey(parts);
      if (!key) refuse(field, 'must be a key of the kind RSA or EC');
      if (key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_RSA_BITS)
        refuse(field, 'must have 2048 bits or more');
      return { ...parts, kid, ...(typeof use === 'string' && { use }), ...(typeof alg === 'string' && { alg }) };
    }),
  };
}

function readKey(jwk: JsonWebKey): KeyObject | undefined {
  if (jwk.kty !== 'RSA' && jwk.kty !== 'EC') return undefined;
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined;
  }
}
