import type { KeyObject } from 'node:crypto';
import { decodeProtectedHeader, errors, flattenedVerify, type JWK, type JWSHeaderParameters } from 'jose';
import { type ObieErrorCode, refuseByStandard } from '../obie-error';
import { ALGORITHMS, CLAIMS, CRITICAL, SIGNATURE_HEADER, UNENCODED } from './header';

/** What a signature must be for us to take it. */
export interface Expected {
  /** The public key of this id among those of the sender; undefined where the sender has none. */
  keyOf: (kid: string) => Promise<JWK | KeyObject | undefined>;
  /** Who must have signed. */
  iss: string;
  /** The trust anchor where the sender's keys are registered. */
  tan: string;
  /** How old a signature may be, in milliseconds. */
  maxAgeMs: number;
  /** How far the sender's clock may be ahead of ours, in milliseconds. */
  skewMs: number;
  now?: Date;
}

/** `<header>..<signature>`: RFC 7515, appendix F. */
const DETACHED = /^([A-Za-z0-9_-]+)\.\.([A-Za-z0-9_-]+)$/;
const SIGNATURE_PATH = `Headers.${SIGNATURE_HEADER}`;

/**
 * Checks the detached signature (RFC 7515, appendix F) over the bytes of a body: its header first, claim by claim, then
 * the signature itself. Answers the id of the key. Throws `ObieError` with the standard's code, status 400.
 */
export async function verifyDetached(body: Buffer, signature: string | undefined, expected: Expected): Promise<string> {
  if (!signature) refuse('UK.OBIE.Signature.Missing', 'The request must be signed');
  const [, encodedHeader, encodedSignature] = DETACHED.exec(signature) ?? [];
  if (!encodedHeader || !encodedSignature) refuse('UK.OBIE.Signature.Malformed', 'This is not a detached JWS');
  const header = headerIn(encodedHeader);
  const kid = checkHeader(header, expected);
  const key = await expected.keyOf(kid);
  if (!key) invalidClaim('kid', 'names no key of the sender');
  const isUnencoded = UNENCODED in header;
  const jws = {
    protected: encodedHeader,
    payload: isUnencoded ? body : body.toString('base64url'),
    signature: encodedSignature,
  };
  try {
    const crit = Object.fromEntries(CRITICAL.map((claim) => [claim, true]));
    await flattenedVerify(jws, key, { algorithms: ALGORITHMS, crit });
  } catch (error) {
    // A key of another kind than the algorithm wants is a TypeError; everything else that may be wrong is a JOSEError.
    if (!(error instanceof errors.JOSEError || error instanceof TypeError)) throw error;
    refuse('UK.OBIE.Signature.Invalid', 'The signature does not match the body and the key');
  }
  return kid;
}

function headerIn(encoded: string): JWSHeaderParameters {
  try {
    return decodeProtectedHeader({ protected: encoded });
  } catch {
    refuse('UK.OBIE.Signature.Malformed', 'The header of the signature cannot be read');
  }
}

/** Every claim, before anything is looked up. Answers the id of the key. */
function checkHeader(header: JWSHeaderParameters, expected: Expected): string {
  for (const claim of ['alg', 'kid', 'crit', ...CRITICAL])
    if (header[claim] === undefined)
      refuse('UK.OBIE.Signature.MissingClaim', `The signature's header lacks ${claim}`, claim);
  const { alg, kid, crit, typ, cty } = header;
  if (!ALGORITHMS.includes(alg!)) invalidClaim('alg', `must be ${ALGORITHMS.join(' or ')}`);
  if (typeof kid !== 'string' || kid === '') invalidClaim('kid', 'must be a text');
  if (typ !== undefined && typ !== 'JOSE') invalidClaim('typ', 'must be JOSE');
  if (cty !== undefined && cty !== 'json' && cty !== 'application/json') invalidClaim('cty', 'must be json');
  if (UNENCODED in header && header[UNENCODED] !== false) invalidClaim(UNENCODED, 'must be false or absent');
  const critical = UNENCODED in header ? [UNENCODED, ...CRITICAL] : CRITICAL;
  const isWhole =
    Array.isArray(crit) && crit.length === critical.length && critical.every((name) => crit.includes(name));
  if (!isWhole) invalidClaim('crit', `must list exactly ${critical.join(', ')}`);
  if (header[CLAIMS.issuer] !== expected.iss) invalidClaim(CLAIMS.issuer, 'is not the sender');
  if (header[CLAIMS.trustAnchor] !== expected.tan) invalidClaim(CLAIMS.trustAnchor, 'is not the trust anchor we know');
  checkAge(header[CLAIMS.issuedAt], expected);
  return kid;
}

function checkAge(issuedAt: unknown, { now = new Date(), maxAgeMs, skewMs }: Expected): void {
  if (typeof issuedAt !== 'number') invalidClaim(CLAIMS.issuedAt, 'must be a number of seconds');
  const ageMs = now.getTime() - issuedAt * 1_000;
  if (ageMs > maxAgeMs) invalidClaim(CLAIMS.issuedAt, 'is too long ago');
  if (ageMs < -skewMs) invalidClaim(CLAIMS.issuedAt, 'is in the future');
}

function invalidClaim(claim: string, message: string): never {
  refuse('UK.OBIE.Signature.InvalidClaim', `${claim} of the signature's header ${message}`, claim);
}

function refuse(code: ObieErrorCode, message: string, claim?: string): never {
  refuseByStandard(code, message, claim ? `${SIGNATURE_PATH}.${claim}` : SIGNATURE_PATH);
}
