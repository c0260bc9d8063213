import 'reflect-metadata';
import { generateKeyPairSync, webcrypto } from 'node:crypto';
import {
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  PemConverter,
  X509CertificateGenerator,
} from '@peculiar/x509';

const DAY_MS = 24 * 3_600_000;
const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** What a client shows, PEM. */
export interface Shown {
  cert: string;
  key: string;
}

interface Wanted {
  subject?: string;
  /** An RSA key of so many bits. Absent: a key on P-256. */
  rsaBits?: number;
  notBefore?: Date;
  notAfter?: Date;
  /** For servers alone. */
  forServers?: boolean;
}

/** A certificate that its owner has signed. */
export async function selfSigned(wanted: Wanted = {}): Promise<Shown> {
  const { subject = 'CN=A provider', rsaBits, forServers } = wanted;
  const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]) };
  const algorithm = rsaBits ? { ...rsa, modulusLength: rsaBits } : P256;
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair;
  const extensions: Extension[] = forServers ? [new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth])] : [];
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: subject,
      keys,
      notBefore: wanted.notBefore ?? new Date(Date.now() - DAY_MS),
      notAfter: wanted.notAfter ?? new Date(Date.now() + 30 * DAY_MS),
      extensions,
    },
    webcrypto as never,
  );
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: certificate.toString('pem'), key: PemConverter.encode(der, 'PRIVATE KEY') };
}

/** A key pair for signatures: the public part as others may know it, and the private one. */
export function signingKey(kid: string, modulusLength = 2_048) {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength });
  return { jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'PS256' }, privateKey };
}
