import { createPrivateKey, type KeyObject } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { Certificate } from '@peculiar/asn1-x509';
import { bytes, publicKey } from '../../../edge/device-wallets/keys';
import { ConfigError } from '../../../foundation/config/config';

/** The form of DEVICE_WALLET_ISSUER_KEYS. All base64 of DER: PKCS #8, SubjectPublicKeyInfo, X.509. */
export interface IssuerKeysSetting {
  /** Of ECv2. */
  first: { rootPrivateKey: string; recipientPublicKey: string };
  /** Of EC_v1; `certificates`: the leaf, whose key this is, then the intermediate. */
  second: { signingKey: string; certificates: string[]; recipientPublicKey: string };
}

export interface Ecv2IssuerKeys {
  rootKey: KeyObject;
  /** The platform's. */
  recipientKey: KeyObject;
}

export interface EcV1IssuerKeys {
  signingKey: KeyObject;
  /** The leaf first. */
  certificates: Certificate[];
  /** The platform's. */
  recipientKey: KeyObject;
}

export interface IssuerKeys {
  ecv2: Ecv2IssuerKeys;
  ecV1: EcV1IssuerKeys;
}

/** Reads DEVICE_WALLET_ISSUER_KEYS. Throws ConfigError, which quotes nothing of it. */
export function parseIssuerKeys(setting: string): IssuerKeys {
  try {
    const { first, second } = JSON.parse(setting) as IssuerKeysSetting;
    return {
      ecv2: { rootKey: privateKey(first.rootPrivateKey), recipientKey: publicKey(bytes(first.recipientPublicKey)) },
      ecV1: {
        signingKey: privateKey(second.signingKey),
        certificates: second.certificates.map((encoded) => AsnConvert.parse(bytes(encoded), Certificate)),
        recipientKey: publicKey(bytes(second.recipientPublicKey)),
      },
    };
  } catch {
    throw new ConfigError('DEVICE_WALLET_ISSUER_KEYS must be JSON with the keys of both wallets');
  }
}

function privateKey(encoded: string): KeyObject {
  return createPrivateKey({ key: bytes(encoded), format: 'der', type: 'pkcs8' });
}
