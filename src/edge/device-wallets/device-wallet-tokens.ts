import { DomainError } from '../../domain/errors';
import { parseWalletKeys, type WalletKeys } from './keys';
import { openEcV1 } from './open-ec-v1';
import { openEcv2 } from './open-ecv2';
import type { DeviceWalletCard, DeviceWalletPayment } from './payment';
import { refuseToken } from './refusal';
import { type DeviceWalletKind, type EcV1Token, type Ecv2Token, ecV1Token, ecv2Token } from './schema';

export interface DeviceWalletOptions {
  /** How long a token of the second kind is good after its signing, in milliseconds. */
  tokenTtlMs: number;
  /** Unix milliseconds; for tests. */
  now?: () => number;
}

/** Opens wallet tokens: checks whose they are, for whom and until when, and decrypts them. Keeps nothing. */
export class DeviceWalletTokens {
  private readonly keys: WalletKeys;
  private readonly now: () => number;

  /** `setting`: DEVICE_WALLET_KEYS, see docs/wallets.md. Throws ConfigError when it is malformed. */
  constructor(
    setting: string | undefined,
    private readonly options: DeviceWalletOptions,
  ) {
    this.keys = parseWalletKeys(setting);
    this.now = options.now ?? Date.now;
  }

  /**
   * Throws DomainError `invalid_request` with the reason when anything about the token is wrong, and
   * `method_not_enabled` when there are no keys for its kind.
   */
  open(kind: DeviceWalletKind, token: unknown, payment: DeviceWalletPayment): DeviceWalletCard {
    try {
      return kind === 'first' ? this.openEcv2(token, payment) : this.openEcV1(token, payment);
    } catch (error) {
      if (error instanceof DomainError) throw error;
      // Parsers and ciphers say in their own words that they cannot make sense of the bytes, and may quote them.
      return refuseToken('cannot be read');
    }
  }

  private openEcv2(token: unknown, payment: DeviceWalletPayment): DeviceWalletCard {
    const { first } = this.keys;
    if (!first) return refuseForLackOfKeys();
    const { value, error } = ecv2Token.validate(token, { convert: false });
    if (error) return refuseForm(error.details[0]!.path);
    return openEcv2(value as Ecv2Token, first, payment, this.now());
  }

  private openEcV1(token: unknown, payment: DeviceWalletPayment): DeviceWalletCard {
    const { second } = this.keys;
    if (!second) return refuseForLackOfKeys();
    const { value, error } = ecV1Token.validate(token, { convert: false });
    if (error) return refuseForm(error.details[0]!.path);
    return openEcV1(value as EcV1Token, second, payment, { now: this.now(), ttlMs: this.options.tokenTtlMs });
  }
}

function refuseForm(path: (string | number)[]): never {
  // A name that we do not know is the caller's text.
  const known = /^[A-Za-z]+(?:\.(?:[A-Za-z]+|\d))*$/.test(path.join('.')) && path.join('.').length <= 64;
  refuseToken(known ? `has a wrong member: ${path.join('.')}` : 'must be the object that the wallet gave');
}

function refuseForLackOfKeys(): never {
  throw new DomainError('method_not_enabled', 'Wallet tokens of this kind are not set up here');
}
