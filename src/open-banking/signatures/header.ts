/** The header that carries a detached signature, in requests and in answers. */
export const SIGNATURE_HEADER = 'x-jws-signature';

/** The claims that UK Open Banking puts into the header of a signature (Read/Write Data API 3.1.11, message signing). */
export const CLAIMS = {
  /** When it was signed: seconds since the epoch. */
  issuedAt: 'http://openbanking.org.uk/iat',
  /** Who signed it. */
  issuer: 'http://openbanking.org.uk/iss',
  /** The trust anchor: the domain name under which the signer's keys are registered. */
  trustAnchor: 'http://openbanking.org.uk/tan',
} as const;

/** What a reader must understand, so what `crit` must list: all of it and nothing else. */
export const CRITICAL: readonly string[] = Object.values(CLAIMS);

/** RFC 7797: the payload is signed as it is. Until 3.1.3 the standard asked for it; we still read it. */
export const UNENCODED = 'b64';

/** PS256 is what the standard asks for; FAPI allows ES256 too. Anything else is refused, RS256 and `none` first. */
export const ALGORITHMS = ['PS256', 'ES256'];
