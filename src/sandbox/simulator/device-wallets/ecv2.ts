import { createCipheriv, createHmac, diffieHellman, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { messageKeys, signedKeyBytes, signedMessageBytes } from '../../../edge/device-wallets/ecv2';
import type { Ecv2Token } from '../../../edge/device-wallets/schema';
import type { Ecv2IssuerKeys } from './issuer-keys';

/** Bytes of an uncompressed point of P-256, which is how its SubjectPublicKeyInfo ends. */
const POINT_BYTES = 65;

export interface Ecv2Envelope {
  /** `merchant:<organizationId>` */
  recipientId: string;
  /** Unix milliseconds: how long the intermediate key is good. */
  keyExpiresAt: number;
}

/** Encrypts and signs a message as ECv2: with an intermediate key of its own, which the root key vouches for. */
export function sealEcv2(keys: Ecv2IssuerKeys, message: string, envelope: Ecv2Envelope): Ecv2Token {
  const intermediate = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signedKey = serialized({
    keyValue: intermediate.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    keyExpiration: envelope.keyExpiresAt.toString(),
  });
  const signedMessage = encrypted(keys.recipientKey, message);
  return {
    protocolVersion: 'ECv2',
    signature: signature(signedMessageBytes(envelope.recipientId, signedMessage), intermediate.privateKey),
    intermediateSigningKey: { signedKey, signatures: [signature(signedKeyBytes(signedKey), keys.rootKey)] },
    signedMessage,
  };
}

function encrypted(recipientKey: KeyObject, message: string): string {
  const ephemeral = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const point = ephemeral.publicKey.export({ format: 'der', type: 'spki' }).subarray(-POINT_BYTES);
  const sharedSecret = diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipientKey });
  const { encryption, mac } = messageKeys(point, sharedSecret);
  const cipher = createCipheriv('aes-256-ctr', encryption, Buffer.alloc(16));
  const ciphertext = Buffer.concat([cipher.update(message, 'utf8'), cipher.final()]);
  return serialized({
    encryptedMessage: ciphertext.toString('base64'),
    ephemeralPublicKey: point.toString('base64'),
    tag: createHmac('sha256', mac).update(ciphertext).digest('base64'),
  });
}

function signature(content: Buffer, key: KeyObject): string {
  return sign('sha256', content, key).toString('base64');
}

/** The real wallet's serializer escapes the equals sign, so ours does. */
function serialized(object: Record<string, string>): string {
  return JSON.stringify(object).replaceAll('=', '\\u003d');
}
