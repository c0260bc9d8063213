import { DomainError } from '../../../../src/domain/errors';
import { DeviceWalletTokens } from '../../../../src/edge/device-wallets/device-wallet-tokens';
import { makeWalletKeys } from '../../../../src/sandbox/runtime/wallet-authority';
import { type TokenOrder, WalletIssuer } from '../../../../src/sandbox/simulator/device-wallets/issuer';
import { parseIssuerKeys } from '../../../../src/sandbox/simulator/device-wallets/issuer-keys';

export const TTL_MS = 300_000;

/** The two sides of the sandbox's wallets, with keys of their own. */
export function sandboxWallets() {
  const settings = makeWalletKeys();
  return {
    settings,
    platform: JSON.parse(settings.DEVICE_WALLET_KEYS),
    issuerKeys: parseIssuerKeys(settings.DEVICE_WALLET_ISSUER_KEYS),
    issuer: new WalletIssuer(settings.DEVICE_WALLET_ISSUER_KEYS, TTL_MS),
    tokens: new DeviceWalletTokens(settings.DEVICE_WALLET_KEYS, { tokenTtlMs: TTL_MS }),
  };
}

export const payment = { merchantId: 'org_of_the_test', money: { amountMinor: 1_099n, currency: 'EUR' } };

export const order = (overrides: Partial<TokenOrder> = {}): TokenOrder => ({
  card: { number: '4111111111111111', expiryMonth: '04', expiryYear: '2031' },
  ...payment,
  expiresInMs: TTL_MS,
  authMethod: 'CRYPTOGRAM_3DS',
  ...overrides,
});

/** What a token is refused with: the message on `walletToken`. Anything but that refusal fails the test. */
export function refusalOf(open: () => unknown): string {
  try {
    open();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'invalid_request') throw error;
    expect(error.details).toEqual([{ field: 'walletToken', message: expect.any(String) }]);
    expect(error.message).not.toMatch(/\d{4}/);
    expect(error.cause).toBeUndefined();
    return error.details![0]!.message;
  }
  throw new Error('the token was taken');
}

/** The same bytes with one bit turned, in base64. */
export function flipped(base64: string, index: number): string {
  const bytes = Buffer.from(base64, 'base64');
  const at = index < 0 ? bytes.length + index : index;
  bytes[at]! ^= 1;
  return bytes.toString('base64');
}
