import {
  createDecipheriv,
  createHmac,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import Joi from 'joi';
import { readJson } from './json';
import { bytes, type Ecv2Keys, publicKey } from './keys';
import { refuseToken } from './refusal';
import type { Ecv2Token } from './schema';

/** ECv2 as published in "Payment data cryptography for merchants" of the Google Pay API and in Tink. */
const VERSION = 'ECv2';
const SENDER = 'Google';

const signedKeySchema = Joi.object<{ keyValue: string; keyExpiration: string }>({
  keyValue: Joi.string().base64({ paddingRequired: false }).max(256).required(),
  keyExpiration: Joi.string()
    .pattern(/^\d{1,15}$/)
    .required(),
}).unknown();

interface EncryptedMessage {
  encryptedMessage: string;
  ephemeralPublicKey: string;
  tag: string;
}

const base64 = Joi.string().base64({ paddingRequired: false }).required();
const signedMessageSchema = Joi.object<EncryptedMessage>({
  encryptedMessage: base64,
  ephemeralPublicKey: base64,
  tag: base64,
}).unknown();

/** What an ECv2 signature is made over: each part preceded by its length, 4 bytes, little endian. */
export function signedBytes(...parts: string[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const text = Buffer.from(part);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(text.length);
      return [length, text];
    }),
  );
}

export const signedKeyBytes = (signedKey: string): Buffer => signedBytes(SENDER, VERSION, signedKey);

export const signedMessageBytes = (recipientId: string, signedMessage: string): Buffer =>
  signedBytes(SENDER, recipientId, VERSION, signedMessage);

/** The intermediate key of a token, once a root key vouches for it. Refuses the token when none does, or no longer. */
export function trustedIntermediateKey(token: Ecv2Token, { rootKeys }: Ecv2Keys, now: number): KeyObject {
  const { signedKey, signatures } = token.intermediateSigningKey;
  const content = signedKeyBytes(signedKey);
  const vouched = rootKeys
    .filter(({ expiresAt }) => expiresAt > now)
    .some(({ key }) => signatures.some((signature) => verify('sha256', content, key, bytes(signature))));
  if (!vouched) refuseToken('has an intermediate key that no root key of the wallet has signed');
  const { keyValue, keyExpiration } = readJson(signedKeySchema, signedKey, 'intermediateSigningKey.signedKey');
  if (Number(keyExpiration) <= now) refuseToken('has expired: its intermediate key is no longer good');
  return publicKey(bytes(keyValue));
}

/** Whether the intermediate key has signed the message for this recipient. */
export function isSignedFor(recipientId: string, token: Ecv2Token, intermediateKey: KeyObject): boolean {
  return verify(
    'sha256',
    signedMessageBytes(recipientId, token.signedMessage),
    intermediateKey,
    bytes(token.signature),
  );
}

/** The text inside `signedMessage`. Refuses the token when none of our keys opens it. */
export function decryptMessage(token: Ecv2Token, { privateKeys }: Ecv2Keys): string {
  const message = readJson(signedMessageSchema, token.signedMessage, 'signedMessage');
  const ephemeralPoint = bytes(message.ephemeralPublicKey);
  const ephemeralKey = keyFromPoint(ephemeralPoint);
  const ciphertext = bytes(message.encryptedMessage);
  const tag = bytes(message.tag);
  for (const privateKey of privateKeys) {
    const keys = messageKeys(ephemeralPoint, diffieHellman({ privateKey, publicKey: ephemeralKey }));
    const expected = createHmac('sha256', keys.mac).update(ciphertext).digest();
    if (tag.length !== expected.length || !timingSafeEqual(tag, expected)) continue;
    const decipher = createDecipheriv('aes-256-ctr', keys.encryption, Buffer.alloc(16));
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
  }
  return refuseToken('is not encrypted to a key of this platform');
}

/** ECIES-KEM with HKDF-SHA256: the ephemeral point is part of what is hashed, the salt is empty. */
export function messageKeys(ephemeralPoint: Buffer, sharedSecret: Buffer): { encryption: Buffer; mac: Buffer } {
  const derived = Buffer.from(hkdfSync('sha256', Buffer.concat([ephemeralPoint, sharedSecret]), '', SENDER, 64));
  return { encryption: derived.subarray(0, 32), mac: derived.subarray(32) };
}

/** An uncompressed point of P-256 (SEC 1, section 2.3.3). Throws when it is none or not on the curve. */
function keyFromPoint(point: Buffer): KeyObject {
  if (point.length !== 65 || point[0] !== 4) throw new TypeError('not an uncompressed point');
  const coordinate = (start: number) => point.subarray(start, start + 32).toString('base64url');
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) }, format: 'jwk' });
}
