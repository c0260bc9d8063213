import { createHash, timingSafeEqual, verify, type X509Certificate } from 'node:crypto';
import { Attribute, ContentInfo, id_signedData, SignedData, type SignerInfo } from '@peculiar/asn1-cms';
import { AsnArray, AsnConvert, AsnType, AsnTypeTypes, OctetString } from '@peculiar/asn1-schema';
import { Time } from '@peculiar/asn1-x509';
import { trustedLeafKey } from './certificate-chain';
import { refuseToken } from './refusal';

/** Attributes of PKCS #9 (RFC 5652, section 11). */
export const CONTENT_TYPE = '1.2.840.113549.1.9.3';
export const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
export const SIGNING_TIME = '1.2.840.113549.1.9.5';
/** DER of the content type of a signature over bytes (RFC 5652, section 4). */
export const ID_DATA = Buffer.from('06092a864886f70d010701', 'hex');
export const SHA256 = '2.16.840.1.101.3.4.2.1';
export const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';

/**
 * Verifies a detached CMS signature (RFC 5652, sections 5.4 and 5.6; ECDSA with SHA-256, one signer, signed attributes)
 * over `content`, and answers when it was made, in Unix milliseconds. Refuses the token when the signature or its chain
 * is not good; throws anything when the bytes make no sense.
 */
export function verifyDetached(
  signature: Buffer,
  content: Buffer,
  roots: readonly X509Certificate[],
  now: number,
): number {
  const signed = signedData(signature);
  const certificates = (signed.certificates ?? []).flatMap(({ certificate }) => certificate ?? []);
  const key = trustedLeafKey([...certificates], roots, now);
  const [signer, another] = signed.signerInfos;
  if (!signer || another || signed.encapContentInfo.eContent || !usesOnlyWhatWeKnow(signer))
    return refuseToken('has a signature of another form than a detached one by a single signer, ECDSA with SHA-256');
  const digest = Buffer.from(AsnConvert.parse(onlyValueOf(signer, MESSAGE_DIGEST), OctetString).buffer);
  const expected = createHash('sha256').update(content).digest();
  const good =
    digest.length === expected.length &&
    timingSafeEqual(digest, expected) &&
    Buffer.from(onlyValueOf(signer, CONTENT_TYPE)).equals(ID_DATA) &&
    verify('sha256', attributesAsSigned(signer.signedAttrs ?? []), key, Buffer.from(signer.signature.buffer));
  if (!good) refuseToken('has a wrong signature');
  return AsnConvert.parse(onlyValueOf(signer, SIGNING_TIME), Time).getTime().getTime();
}

function signedData(der: Buffer): SignedData {
  const info = AsnConvert.parse(der, ContentInfo);
  if (info.contentType !== id_signedData) refuseToken('has a signature that is no CMS signed data');
  return AsnConvert.parse(info.content, SignedData);
}

function usesOnlyWhatWeKnow(signer: SignerInfo): boolean {
  const { digestAlgorithm, signatureAlgorithm } = signer;
  return digestAlgorithm.algorithm === SHA256 && signatureAlgorithm.algorithm === ECDSA_WITH_SHA256;
}

/** The single value of an attribute that is there once. */
function onlyValueOf({ signedAttrs = [] }: SignerInfo, type: string): ArrayBuffer {
  const [attribute, another]: (Attribute | undefined)[] = signedAttrs.filter(({ attrType }) => attrType === type);
  const [value, further] = attribute?.attrValues ?? [];
  if (!value || further || another) return refuseToken('has a signature without the attributes it needs');
  return value;
}

class SignedAttributes extends AsnArray<Attribute> {}
AsnType({ type: AsnTypeTypes.Set, itemType: Attribute })(SignedAttributes);

/**
 * What a signature with signed attributes is made over: their DER, as SET OF and not under the tag they are sent with
 * (section 5.4). Made from what was read, so that what counts is what was signed.
 */
export function attributesAsSigned(attributes: Attribute[]): Buffer {
  return Buffer.from(AsnConvert.serialize(new SignedAttributes(attributes)));
}
