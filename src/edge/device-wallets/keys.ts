import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import Joi from 'joi';
import { ConfigError } from '../../foundation/config/config';

/** A key of the wallet's that signs intermediate keys. */
export interface RootKey {
  key: KeyObject;
  /** Unix milliseconds. */
  expiresAt: number;
}

export interface Ecv2Keys {
  rootKeys: RootKey[];
  /** Ours; each is tried. */
  privateKeys: KeyObject[];
}

export interface EcV1Keys {
  rootCertificates: X509Certificate[];
  /** Ours, by base64 of the SHA-256 of the public key (X.509 SubjectPublicKeyInfo). */
  privateKeys: ReadonlyMap<string, KeyObject>;
}

/** A kind without keys is not set up. */
export interface WalletKeys {
  first?: Ecv2Keys;
  second?: EcV1Keys;
}

/** The form of DEVICE_WALLET_KEYS. Keys and certificates are base64 of DER: SubjectPublicKeyInfo, PKCS #8, X.509. */
export interface WalletKeysSetting {
  first?: {
    /** An entry as the wallet publishes it; those of other protocol versions are passed over. */
    rootKeys: { keyValue: string; protocolVersion: string; keyExpiration?: string }[];
    privateKeys: string[];
  };
  second?: { rootCertificates: string[]; privateKeys: string[] };
}

const der = Joi.string().base64().max(8_192);

const settingSchema = Joi.object<WalletKeysSetting>({
  first: Joi.object({
    rootKeys: Joi.array()
      .items(
        Joi.object({
          keyValue: der.required(),
          protocolVersion: Joi.string().required(),
          keyExpiration: Joi.string().pattern(/^\d{1,15}$/),
        }),
      )
      .min(1)
      .required(),
    privateKeys: Joi.array().items(der).min(1).required(),
  }),
  second: Joi.object({
    rootCertificates: Joi.array().items(der).min(1).required(),
    privateKeys: Joi.array().items(der).min(1).required(),
  }),
});

/** Reads DEVICE_WALLET_KEYS. Throws ConfigError, which quotes nothing of it. */
export function parseWalletKeys(setting: string | undefined): WalletKeys {
  if (!setting) return {};
  const { first, second } = validated(setting);
  try {
    return { first: first && firstKeys(first), second: second && secondKeys(second) };
  } catch {
    throw new ConfigError('DEVICE_WALLET_KEYS holds a key or certificate that is none, or is not on the curve P-256');
  }
}

function validated(setting: string): WalletKeysSetting {
  let given: unknown;
  try {
    given = JSON.parse(setting);
  } catch {
    throw new ConfigError('DEVICE_WALLET_KEYS must be a JSON object');
  }
  const { value, error } = settingSchema.validate(given, { convert: false });
  if (error)
    throw new ConfigError(`DEVICE_WALLET_KEYS is malformed at ${error.details[0]!.path.join('.') || 'its top'}`);
  return value;
}

function firstKeys(setting: NonNullable<WalletKeysSetting['first']>): Ecv2Keys {
  const rootKeys = setting.rootKeys
    .filter(({ protocolVersion }) => protocolVersion === 'ECv2')
    // An ECv2 root key has an end by definition: without one it is good for nothing.
    .map(({ keyValue, keyExpiration }) => ({ key: publicKey(bytes(keyValue)), expiresAt: Number(keyExpiration ?? 0) }));
  return { rootKeys, privateKeys: setting.privateKeys.map(privateKey) };
}

function secondKeys(setting: NonNullable<WalletKeysSetting['second']>): EcV1Keys {
  const named = setting.privateKeys.map(privateKey).map((key) => [publicKeyHash(createPublicKey(key)), key] as const);
  return {
    rootCertificates: setting.rootCertificates.map((certificate) => new X509Certificate(bytes(certificate))),
    privateKeys: new Map(named),
  };
}

/** Base64 of the SHA-256 of a public key in X.509 form: how a token of the second kind names the key it is for. */
export function publicKeyHash(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ format: 'der', type: 'spki' }))
    .digest('base64');
}

/** A P-256 public key from its SubjectPublicKeyInfo. Throws on anything else, a point beside the curve included. */
export function publicKey(spki: Buffer): KeyObject {
  return onP256(createPublicKey({ key: spki, format: 'der', type: 'spki' }));
}

function privateKey(encoded: string): KeyObject {
  return onP256(createPrivateKey({ key: bytes(encoded), format: 'der', type: 'pkcs8' }));
}

/** Named curve only: parameters that are spelled out could describe another one. */
function onP256(key: KeyObject): KeyObject {
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new TypeError('not a key on P-256');
  return key;
}

export function bytes(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
