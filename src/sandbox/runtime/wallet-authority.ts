import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  id_ce_basicConstraints,
  id_ce_keyUsage,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import { INTERMEDIATE_MARKER, LEAF_MARKER } from '../../edge/device-wallets/certificate-chain';
import { ECDSA_WITH_SHA256 } from '../../edge/device-wallets/cms-signature';
import type { WalletKeysSetting } from '../../edge/device-wallets/keys';
import type { IssuerKeysSetting } from '../simulator/device-wallets/issuer-keys';

const YEAR_MS = 365 * 24 * 3_600_000;
const GOOD_FOR_MS = 20 * YEAR_MS;
const COMMON_NAME = '2.5.4.3';
const ASN1_NULL = Uint8Array.of(5, 0).buffer;

/** The sandbox's own wallets: the keys the platform opens tokens with, and those the simulator issues them with. */
export function makeWalletKeys(): { DEVICE_WALLET_KEYS: string; DEVICE_WALLET_ISSUER_KEYS: string } {
  const now = Date.now();
  const [firstRoot, firstRecipient, secondRecipient, signer] = [makeKey(), makeKey(), makeKey(), makeKey()];
  const chain = makeChain(publicPart(signer), now);
  const platform: WalletKeysSetting = {
    first: {
      rootKeys: [{ keyValue: spki(firstRoot), protocolVersion: 'ECv2', keyExpiration: (now + GOOD_FOR_MS).toString() }],
      privateKeys: [pkcs8(firstRecipient)],
    },
    second: { rootCertificates: [chain.root], privateKeys: [pkcs8(secondRecipient)] },
  };
  const issuer: IssuerKeysSetting = {
    first: { rootPrivateKey: pkcs8(firstRoot), recipientPublicKey: spki(firstRecipient) },
    second: {
      signingKey: pkcs8(signer),
      certificates: [chain.leaf, chain.intermediate],
      recipientPublicKey: spki(secondRecipient),
    },
  };
  return { DEVICE_WALLET_KEYS: JSON.stringify(platform), DEVICE_WALLET_ISSUER_KEYS: JSON.stringify(issuer) };
}

/** Root, intermediate and leaf in the shape of the second wallet's, base64 of DER; the leaf holds `leafKey`. */
function makeChain(leafKey: KeyObject, now: number): { root: string; intermediate: string; leaf: string } {
  const [rootKey, intermediateKey] = [makeKey(), makeKey()];
  const root = makeCertificate({
    subject: 'Sandbox Wallet Root',
    key: publicPart(rootKey),
    issuer: 'Sandbox Wallet Root',
    issuerKey: rootKey,
    extensions: authorityExtensions(),
    now,
  });
  const intermediate = makeCertificate({
    subject: 'Sandbox Wallet Integration',
    key: publicPart(intermediateKey),
    issuer: 'Sandbox Wallet Root',
    issuerKey: rootKey,
    extensions: [...authorityExtensions(), marker(INTERMEDIATE_MARKER)],
    now,
  });
  const leaf = makeCertificate({
    subject: 'Sandbox Wallet Signer',
    key: leafKey,
    issuer: 'Sandbox Wallet Integration',
    issuerKey: intermediateKey,
    extensions: leafExtensions(),
    now,
  });
  return { root, intermediate, leaf };
}

interface CertificateOrder {
  subject: string;
  key: KeyObject;
  issuer: string;
  issuerKey: KeyObject;
  extensions: Extension[];
  now: number;
}

/** An X.509 certificate (RFC 5280, section 4.1) signed with ECDSA and SHA-256; base64 of DER. */
export function makeCertificate({ subject, key, issuer, issuerKey, extensions, now }: CertificateOrder): string {
  const algorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer: named(issuer),
    // A day earlier: two clocks need not agree to the second.
    validity: new Validity({ notBefore: new Date(now - YEAR_MS / 365), notAfter: new Date(now + GOOD_FOR_MS) }),
    subject: named(subject),
    subjectPublicKeyInfo: AsnConvert.parse(key.export({ format: 'der', type: 'spki' }), SubjectPublicKeyInfo),
    extensions: new Extensions(extensions),
  });
  const signature = sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), issuerKey);
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: algorithm,
    signatureValue: Uint8Array.from(signature).buffer,
  });
  return Buffer.from(AsnConvert.serialize(certificate)).toString('base64');
}

export function authorityExtensions(): Extension[] {
  return [
    critical(id_ce_basicConstraints, new BasicConstraints({ cA: true })),
    critical(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign)),
  ];
}

export function leafExtensions(): Extension[] {
  return [
    critical(id_ce_basicConstraints, new BasicConstraints()),
    critical(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature)),
    marker(LEAF_MARKER),
  ];
}

function critical(extnID: string, value: unknown): Extension {
  return new Extension({ extnID, critical: true, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

export function marker(extnID: string): Extension {
  return new Extension({ extnID, extnValue: new OctetString(ASN1_NULL) });
}

/** Positive, and unique enough (RFC 5280, section 4.1.2.2). */
function serialNumber(): ArrayBuffer {
  const bytes = Uint8Array.from(randomBytes(16));
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes.buffer;
}

function named(commonName: string): Name {
  const value = new AttributeValue({ utf8String: commonName });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
}

function makeKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

function publicPart(privateKey: KeyObject): KeyObject {
  return createPublicKey(privateKey);
}

function spki(privateKey: KeyObject): string {
  return publicPart(privateKey).export({ format: 'der', type: 'spki' }).toString('base64');
}

function pkcs8(privateKey: KeyObject): string {
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
}
