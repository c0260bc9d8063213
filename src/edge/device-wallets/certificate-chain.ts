import { type KeyObject, X509Certificate } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import type { Certificate, Extension } from '@peculiar/asn1-x509';
import { refuseToken } from './refusal';

/** Extensions by which the wallet marks what a certificate is for; only their presence counts. */
export const LEAF_MARKER = '1.2.840.113635.100.6.29';
export const INTERMEDIATE_MARKER = '1.2.840.113635.100.6.2.14';

/** Critical extensions that are checked here, by node:crypto: basic constraints and key usage. */
const UNDERSTOOD = ['2.5.29.19', '2.5.29.15'];

/**
 * The key of the leaf among the certificates of a signature, once the chain from it over the intermediate to one of the
 * roots holds at `now` (RFC 5280, section 6, for this fixed shape; revocation is not asked). Refuses the token otherwise.
 */
export function trustedLeafKey(certificates: Certificate[], roots: readonly X509Certificate[], now: number): KeyObject {
  const leaf = onlyMarked(certificates, LEAF_MARKER);
  const intermediate = onlyMarked(certificates, INTERMEDIATE_MARKER);
  if (leaf && intermediate && [leaf, intermediate].every((one) => isGood(one, now))) {
    const [leafCertificate, issuer] = [parsed(leaf), parsed(intermediate)];
    const chained =
      !leafCertificate.ca &&
      isIssuedBy(leafCertificate, issuer) &&
      roots.some((root) => isCurrent(root, now) && isIssuedBy(issuer, root));
    if (chained && leafCertificate.publicKey.asymmetricKeyType === 'ec') return leafCertificate.publicKey;
  }
  return refuseToken('has a signature whose certificates lead to no root of the wallet');
}

function onlyMarked(certificates: Certificate[], marker: string): Certificate | undefined {
  const marked = certificates.filter((certificate) =>
    extensionsOf(certificate).some(({ extnID }) => extnID === marker),
  );
  return marked.length === 1 ? marked[0] : undefined;
}

function extensionsOf({ tbsCertificate }: Certificate): Extension[] {
  return tbsCertificate.extensions ?? [];
}

function isGood(certificate: Certificate, now: number): boolean {
  const { notBefore, notAfter } = certificate.tbsCertificate.validity;
  return (
    notBefore.getTime().getTime() <= now &&
    now <= notAfter.getTime().getTime() &&
    extensionsOf(certificate).every(({ critical, extnID }) => !critical || UNDERSTOOD.includes(extnID))
  );
}

function isCurrent(root: X509Certificate, now: number): boolean {
  return Date.parse(root.validFrom) <= now && now <= Date.parse(root.validTo);
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function parsed(certificate: Certificate): X509Certificate {
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate)));
}
