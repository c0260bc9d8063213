import { DomainError } from '../../domain/errors';
import { openFirst } from './first';
import { parseWalletKeys, type WalletKeys } from './keys';
import type { WalletCard, WalletPayment } from './payment';
import { refuseToken } from './refusal';
import { type FirstToken, firstToken, type SecondToken, secondToken, type WalletKind } from './schema';
import { openSecond } from './second';

export interface WalletTokenOptions {
  /** How long a token of the second kind is good after its signing, in milliseconds. */
  tokenTtlMs: number;
  /** Unix milliseconds; for tests. */
  now?: () => number;
}

/** Opens wallet tokens: checks whose they are, for whom and until when, and decrypts them. Keeps nothing. */
export class WalletTokens {
  private readonly keys: WalletKeys;
  private readonly now: () => number;

  /** `setting`: DEVICE_WALLET_KEYS, see docs/wallets.md. Throws ConfigError when it is malformed. */
  constructor(
    setting: string | undefined,
    private readonly options: WalletTokenOptions,
  ) {
    this.keys = parseWalletKeys(setting);
    this.now = options.now ?? Date.now;
  }

  /**
   * Throws DomainError `invalid_request` with the reason when anything about the token is wrong, and
   * `method_not_enabled` when there are no keys for its kind.
   */
  open(kind: WalletKind, token: unknown, payment: WalletPayment): WalletCard {
    try {
      return kind === 'first' ? this.openFirst(token, payment) : this.openSecond(token, payment);
    } catch (error) {
      if (error instanceof DomainError) throw error;
      // Parsers and ciphers say in their own words that they cannot make sense of the bytes, and may quote them.
      return refuseToken('cannot be read');
    }
  }

  private openFirst(token: unknown, payment: WalletPayment): WalletCard {
    const { first } = this.keys;
    if (!first) return refuseForLackOfKeys();
    const { value, error } = firstToken.validate(token, { convert: false });
    if (error) return refuseForm(error.details[0]!.path);
    return openFirst(value as FirstToken, first, payment, this.now());
  }

  private openSecond(token: unknown, payment: WalletPayment): WalletCard {
    const { second } = this.keys;
    if (!second) return refuseForLackOfKeys();
    const { value, error } = secondToken.validate(token, { convert: false });
    if (error) return refuseForm(error.details[0]!.path);
    return openSecond(value as SecondToken, second, payment, { now: this.now(), ttlMs: this.options.tokenTtlMs });
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
