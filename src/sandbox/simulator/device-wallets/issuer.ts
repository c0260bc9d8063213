import { randomUUID } from 'node:crypto';
import { currencyNumber } from '../../../domain/currency-number';
import type { Money } from '../../../domain/money';
import type { EcV1Token, Ecv2Token } from '../../../edge/device-wallets/schema';
import { sealEcV1 } from './ec-v1';
import { sealEcv2 } from './ecv2';
import { type IssuerKeys, parseIssuerKeys } from './issuer-keys';

const DAY_MS = 24 * 3_600_000;

/** What the network gives with a card in a wallet; ours proves nothing, as nobody asks the network. */
const CRYPTOGRAM = Buffer.alloc(20, 'sandbox cryptogram').toString('base64');
const ECI = '05';

export interface TokenOrder {
  card: { number: string; expiryMonth: string; expiryYear: string };
  money: Money;
  /** The organization's id. */
  merchantId: string;
  /** From now; negative: expired already. At most the time that the platform takes a token of EC_v1 for. */
  expiresInMs: number;
  authMethod: 'PAN_ONLY' | 'CRYPTOGRAM_3DS';
}

/** Both device wallets of the sandbox. */
export class WalletIssuer {
  private readonly keys: IssuerKeys;

  /** `setting`: DEVICE_WALLET_ISSUER_KEYS; throws ConfigError when it is malformed. `tokenTtlMs`: DEVICE_WALLET_TOKEN_TTL_MS. */
  constructor(
    setting: string,
    private readonly tokenTtlMs: number,
  ) {
    this.keys = parseIssuerKeys(setting);
  }

  issueEcv2({ card, merchantId, expiresInMs, authMethod }: TokenOrder): Ecv2Token {
    const now = Date.now();
    const proof = authMethod === 'CRYPTOGRAM_3DS' ? { cryptogram: CRYPTOGRAM, eciIndicator: ECI } : {};
    const message = {
      gatewayMerchantId: merchantId,
      messageExpiration: (now + expiresInMs).toString(),
      messageId: randomUUID(),
      paymentMethod: 'CARD',
      paymentMethodDetails: {
        pan: card.number,
        expirationMonth: Number(card.expiryMonth),
        expirationYear: Number(card.expiryYear),
        authMethod,
        ...proof,
      },
    };
    return sealEcv2(this.keys.ecv2, JSON.stringify(message), {
      recipientId: `merchant:${merchantId}`,
      keyExpiresAt: now + DAY_MS,
    });
  }

  /** Throws RangeError when the amount is beyond what the token can state exactly, or the currency has no number. */
  issueEcV1({ card, money, merchantId, expiresInMs }: TokenOrder): EcV1Token {
    // It states its amount as a JSON number.
    const transactionAmount = Number(money.amountMinor);
    if (!Number.isSafeInteger(transactionAmount)) throw new RangeError('is too large for this wallet');
    const currencyCode = currencyNumber(money.currency);
    if (!currencyCode) throw new RangeError('is in a currency that this wallet does not know');
    const data = {
      applicationPrimaryAccountNumber: card.number,
      applicationExpirationDate: `${card.expiryYear.slice(2)}${card.expiryMonth}${lastDayOf(card)}`,
      currencyCode,
      transactionAmount,
      deviceManufacturerIdentifier: '040010030273',
      paymentDataType: '3DSecure',
      paymentData: { onlinePaymentCryptogram: CRYPTOGRAM, eciIndicator: ECI },
    };
    const signedAt = Date.now() + Math.min(expiresInMs, this.tokenTtlMs) - this.tokenTtlMs;
    return sealEcV1(this.keys.ecV1, JSON.stringify(data), { merchantId, signedAt });
  }
}

function lastDayOf({ expiryMonth, expiryYear }: TokenOrder['card']): string {
  return String(new Date(Date.UTC(Number(expiryYear), Number(expiryMonth), 0)).getUTCDate());
}
