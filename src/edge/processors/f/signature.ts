import { createPublicKey, verify as verifySignature } from 'node:crypto';
import { asObject, type Fields, readObject } from '../reading';

/**
 * The payload of a compact JWS (RFC 7515, section 3.1) if its signature is right: ES256 (RFC 7518, section 3.4) and
 * nothing else. A header that brings a key of its own, or asks for what we do not know (`crit`), is refused: the key is
 * the one we hold. Undefined otherwise; never throws.
 * @param key the processor's P-256 key, PEM.
 */
export function verifiedPayload(jws: string, key: string): Buffer | undefined {
  const parts = jws.split('.');
  const [header, payload, signature] = parts.map(decode);
  if (parts.length !== 3 || !header || !payload || !signature || !isPlain(header)) return undefined;
  try {
    const publicKey = createPublicKey(key);
    if (publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return undefined;
    const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
    const isRight = verifySignature('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
    return isRight ? payload : undefined;
  } catch {
    // Not a key.
    return undefined;
  }
}

/** The JSON object that a compact JWS carries, unverified; undefined when it is something else. */
export function payloadOf(jws: string): Fields | undefined {
  const payload = decode(jws.split('.')[1] ?? '');
  return payload && readObject(payload.toString('utf8'));
}

const FORBIDDEN = ['crit', 'b64', 'jku', 'jwk', 'x5u', 'x5c'];

function isPlain(header: Buffer): boolean {
  const fields = asObject(readObject(header.toString('utf8')));
  return fields?.alg === 'ES256' && FORBIDDEN.every((name) => !Object.hasOwn(fields, name));
}

/** Base64url in its one right form: what else decodes to the same would be another text with the same signature. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return text !== '' && bytes.toString('base64url') === text ? bytes : undefined;
}
