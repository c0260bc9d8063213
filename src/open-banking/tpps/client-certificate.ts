import { type KeyObject, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { refuse } from '../../domain/errors';
import { isGoodAt, readCertificate, subjectOf, thumbprintOf } from './registry';
import type { TppRow } from './tpp';

const MIN_RSA_BITS = 2_048;
const CURVES = ['prime256v1', 'secp384r1', 'secp521r1'];
/** RFC 5280, section 4.2.1.12. */
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';
const CERTIFICATES = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const FIELD = 'certificate';

/** What the registry keeps of a certificate. */
export type StoredCertificate = Pick<
  TppRow,
  'auth_method' | 'certificate_thumbprint' | 'certificate_subject' | 'certificate_pem' | 'certificate_expires_at'
>;

/** The certificate authorities in a PEM file. None if there is no such file: then only self-signed certificates are good. */
export function authoritiesIn(path: string | undefined): X509Certificate[] {
  if (path === undefined || !existsSync(path)) return [];
  return (readFileSync(path, 'utf8').match(CERTIFICATES) ?? []).map((pem) => new X509Certificate(pem));
}

/**
 * Judges a certificate before it is registered. `authorities`: those that issue certificates of providers. Throws
 * `invalid_request` for what is no certificate or more than one, for one that is not good at `now`, has a weak key, is not
 * made for clients, or comes from an unknown issuer.
 */
export function clientCertificate(text: string, authorities: readonly X509Certificate[], now: Date): StoredCertificate {
  const found = text.match(CERTIFICATES);
  const certificate = found && found[0] === text.trim() ? readCertificate(found[0]) : undefined;
  const key = certificate && publicKeyOf(certificate);
  if (!certificate || !key) refuse(FIELD, 'must be one X.509 certificate in PEM form, and nothing else');
  // The subject names the provider where an authority has issued the certificate, and tells people whose it is.
  if (!certificate.subject) refuse(FIELD, 'must have a subject');
  if (!isGoodAt(certificate, now)) refuse(FIELD, 'has expired, or is not valid yet');
  if (!isStrong(key)) refuse(FIELD, 'must have an RSA key of 2048 bits or more, or a key on P-256, P-384 or P-521');
  // Node's name for the extended key usage. Absent: good for everything.
  const purposes = certificate.keyUsage;
  if (purposes && !purposes.includes(CLIENT_AUTHENTICATION))
    refuse(FIELD, 'must be good for the client of a TLS connection');
  return {
    auth_method: authMethodOf(certificate, key, authorities),
    certificate_thumbprint: thumbprintOf(certificate),
    certificate_subject: subjectOf(certificate),
    certificate_pem: certificate.toString(),
    certificate_expires_at: new Date(certificate.validTo),
  };
}

function authMethodOf(
  certificate: X509Certificate,
  key: KeyObject,
  authorities: readonly X509Certificate[],
): TppRow['auth_method'] {
  if (certificate.subject === certificate.issuer && certificate.verify(key)) return 'self_signed_tls_client_auth';
  const isIssued = authorities.some(
    (authority) => certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
  );
  if (!isIssued) refuse(FIELD, 'must be self-signed, or come from a certificate authority that this bank trusts');
  return 'tls_client_auth';
}

function isStrong({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === 'rsa') return (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
  return asymmetricKeyType === 'ec' && CURVES.includes(asymmetricKeyDetails?.namedCurve ?? '');
}

/** Undefined for a key of a kind that nobody here can read. */
function publicKeyOf(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey;
  } catch {
    return undefined;
  }
}
