import Joi from 'joi';

export type DeviceWalletKind = 'first' | 'second';

/** A token of the first kind: ECv2, as Google Pay defines it. */
export interface Ecv2Token {
  protocolVersion: 'ECv2';
  signature: string;
  intermediateSigningKey: { signedKey: string; signatures: string[] };
  signedMessage: string;
}

/** A token of the second kind: EC_v1, as Apple Pay defines it. */
export interface EcV1Token {
  version: 'EC_v1';
  data: string;
  signature: string;
  header: { ephemeralPublicKey: string; publicKeyHash: string; transactionId: string; applicationData?: string };
}

/** Padding may be missing: both wallets have left it out at times. */
const base64 = (max: number) =>
  Joi.string()
    .messages({ 'string.pattern.base': 'must be base64' })
    .pattern(/^[A-Za-z0-9+/]+={0,2}$/)
    .max(max);

const hex = (max: number) =>
  Joi.string()
    .messages({ 'string.pattern.base': 'must be hexadecimal, two digits a byte' })
    .pattern(/^(?:[0-9A-Fa-f]{2})+$/)
    .max(max);

export const ecv2Token = Joi.object<Ecv2Token>({
  protocolVersion: Joi.string().valid('ECv2').required(),
  signature: base64(256).required().description('Base64 of the ECDSA signature of `signedMessage`'),
  intermediateSigningKey: Joi.object({
    signedKey: Joi.string().max(1_024).required().description('JSON: `keyValue`, `keyExpiration`'),
    signatures: Joi.array().items(base64(256)).min(1).max(8).required(),
  }).required(),
  signedMessage: Joi.string()
    .max(16_384)
    .required()
    .description('JSON: `encryptedMessage`, `ephemeralPublicKey`, `tag`'),
}).description('Device-wallet token of the first kind (ECv2)');

export const ecV1Token = Joi.object<EcV1Token>({
  version: Joi.string().valid('EC_v1').required(),
  data: base64(16_384).required().description('Base64 of the encrypted payment data'),
  signature: base64(16_384).required().description('Base64 of a detached CMS signature'),
  header: Joi.object({
    ephemeralPublicKey: base64(256).required(),
    publicKeyHash: base64(44).required(),
    transactionId: hex(128).required(),
    applicationData: hex(128),
  }).required(),
}).description('Device-wallet token of the second kind (EC_v1)');
