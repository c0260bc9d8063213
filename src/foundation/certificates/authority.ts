import 'reflect-metadata';
import { randomBytes, type webcrypto as WebCrypto, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A key of P-256 signs certificates, and providers have one; RFC 8705 leaves the kind to us. */
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
/** FAPI 1.0 Advanced (section 8.5) allows TLS 1.2 to servers with RSA alone. */
const SERVER_ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2_048,
};
const DAY_MS = 24 * 3_600_000;
const AUTHORITY_DAYS = 3_650;
/** Some clients refuse certificates of servers that are good for longer. */
const LEAF_DAYS = 397;

/** A certificate and its private key (PKCS #8), both PEM. */
export interface CertificateFiles {
  certificate: string;
  key: string;
}

/** A certificate authority of our own. `name`: letters, digits, spaces. */
export async function makeAuthority(now = new Date(), name = 'Tillway Sandbox CA'): Promise<CertificateFiles> {
  const keys = await makeKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=${name},O=Tillway`,
      keys,
      ...validity(now, AUTHORITY_DAYS),
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    },
    webcrypto as never,
  );
  return filesOf(certificate, keys.privateKey);
}

/**
 * A certificate for a server under these names and addresses. Its key is RSA. `alsoClient`: the server shows it to others
 * too, as those of a cluster do to each other.
 */
export async function makeServerCertificate(
  authority: CertificateFiles,
  hosts: readonly string[],
  now = new Date(),
  { alsoClient = false } = {},
): Promise<CertificateFiles> {
  const names = hosts.map((host) => ({ type: isIP(host) ? ('ip' as const) : ('dns' as const), value: host }));
  return makeLeaf(authority, `CN=${hosts[0]}`, await makeKeys(SERVER_ALGORITHM), now, [
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ...(alsoClient ? [ExtendedKeyUsage.clientAuth] : [])]),
    new SubjectAlternativeNameExtension(names),
  ]);
}

/** A certificate for a client, such as a third-party provider. `commonName`: letters, digits, hyphens. */
export async function makeClientCertificate(
  authority: CertificateFiles,
  commonName: string,
  now = new Date(),
): Promise<CertificateFiles> {
  return makeLeaf(authority, `CN=${commonName},O=Tillway Sandbox`, await makeKeys(), now, [
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
  ]);
}

async function makeLeaf(
  authority: CertificateFiles,
  subject: string,
  keys: WebCrypto.CryptoKeyPair,
  now: Date,
  extensions: Extension[],
): Promise<CertificateFiles> {
  const issuer = new X509Certificate(authority.certificate);
  const [der] = PemConverter.decode(authority.key);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', der!, ALGORITHM, false, ['sign']);
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: randomBytes(16).toString('hex'),
      subject,
      issuer: issuer.subject,
      publicKey: keys.publicKey,
      signingKey,
      signingAlgorithm: ALGORITHM,
      ...validity(now, LEAF_DAYS),
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        ...extensions,
      ],
    },
    webcrypto as never,
  );
  return filesOf(certificate, keys.privateKey);
}

function makeKeys(algorithm: typeof ALGORITHM | typeof SERVER_ALGORITHM = ALGORITHM): Promise<WebCrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<WebCrypto.CryptoKeyPair>;
}

/** A day earlier: two clocks need not agree to the second. */
function validity(now: Date, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now.getTime() - DAY_MS), notAfter: new Date(now.getTime() + days * DAY_MS) };
}

async function filesOf(certificate: X509Certificate, privateKey: WebCrypto.CryptoKey): Promise<CertificateFiles> {
  const der = await webcrypto.subtle.exportKey('pkcs8', privateKey);
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: `${PemConverter.encode(der, 'PRIVATE KEY')}\n`,
  };
}
