import { createCipheriv, createHash, diffieHellman, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import {
  Attribute,
  CertificateChoices,
  CertificateSet,
  CMSVersion,
  ContentInfo,
  DigestAlgorithmIdentifier,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  id_data,
  id_signedData,
  SignatureAlgorithmIdentifier,
  SignedData,
  SignerIdentifier,
  SignerInfo,
  SignerInfos,
} from '@peculiar/asn1-cms';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import { Time } from '@peculiar/asn1-x509';
import {
  attributesAsSigned,
  CONTENT_TYPE,
  ECDSA_WITH_SHA256,
  ID_DATA,
  MESSAGE_DIGEST,
  SHA256,
  SIGNING_TIME,
} from '../../../edge/device-wallets/cms-signature';
import { dataKey, signedContent } from '../../../edge/device-wallets/ec-v1';
import { publicKeyHash } from '../../../edge/device-wallets/keys';
import type { EcV1Token } from '../../../edge/device-wallets/schema';
import type { EcV1IssuerKeys } from './issuer-keys';

export interface EcV1Envelope {
  merchantId: string;
  /** Unix milliseconds; whole seconds are what the signature keeps of it. */
  signedAt: number;
}

/** Encrypts and signs payment data as EC_v1. */
export function sealEcV1(keys: EcV1IssuerKeys, message: string, envelope: EcV1Envelope): EcV1Token {
  const ephemeral = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sharedSecret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: keys.recipientKey });
  const merchantHash = createHash('sha256').update(envelope.merchantId).digest();
  const cipher = createCipheriv('aes-256-gcm', dataKey(sharedSecret, merchantHash), Buffer.alloc(16));
  const data = Buffer.concat([cipher.update(message, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
  const header = {
    ephemeralPublicKey: ephemeral.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    publicKeyHash: publicKeyHash(keys.recipientKey),
    transactionId: randomBytes(32).toString('hex'),
  };
  const signature = detachedSignature(keys, signedContent({ header, data }), new Date(envelope.signedAt));
  return { version: 'EC_v1', data, signature: signature.toString('base64'), header };
}

/** A detached CMS signature with signed attributes (RFC 5652, section 5). */
function detachedSignature({ signingKey, certificates }: EcV1IssuerKeys, content: Buffer, signedAt: Date): Buffer {
  const digest = Uint8Array.from(createHash('sha256').update(content).digest()).buffer;
  const signedAttrs = [
    attribute(CONTENT_TYPE, Uint8Array.from(ID_DATA).buffer),
    attribute(SIGNING_TIME, AsnConvert.serialize(new Time(signedAt))),
    attribute(MESSAGE_DIGEST, AsnConvert.serialize(new OctetString(digest))),
  ];
  const { issuer, serialNumber } = certificates[0]!.tbsCertificate;
  const digestAlgorithm = new DigestAlgorithmIdentifier({ algorithm: SHA256 });
  const signerInfo = new SignerInfo({
    version: CMSVersion.v1,
    sid: new SignerIdentifier({ issuerAndSerialNumber: new IssuerAndSerialNumber({ issuer, serialNumber }) }),
    digestAlgorithm,
    signedAttrs,
    signatureAlgorithm: new SignatureAlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 }),
    signature: new OctetString(Uint8Array.from(sign('sha256', attributesAsSigned(signedAttrs), signingKey)).buffer),
  });
  const signedData = new SignedData({
    version: CMSVersion.v1,
    encapContentInfo: new EncapsulatedContentInfo({ eContentType: id_data }),
    certificates: new CertificateSet(certificates.map((certificate) => new CertificateChoices({ certificate }))),
    signerInfos: new SignerInfos([signerInfo]),
  });
  signedData.digestAlgorithms.push(digestAlgorithm);
  const info = new ContentInfo({ contentType: id_signedData, content: AsnConvert.serialize(signedData) });
  return Buffer.from(AsnConvert.serialize(info));
}

function attribute(attrType: string, value: ArrayBuffer): Attribute {
  return new Attribute({ attrType, attrValues: [value] });
}
