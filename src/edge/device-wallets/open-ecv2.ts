import { createHash, type KeyObject } from 'node:crypto';
import Joi from 'joi';
import { decryptMessage, isSignedFor, trustedIntermediateKey } from './ecv2';
import { readJson } from './json';
import type { Ecv2Keys } from './keys';
import type { DeviceWalletCard, DeviceWalletPayment } from './payment';
import { refuseToken } from './refusal';
import type { Ecv2Token } from './schema';

interface Message {
  messageExpiration: string;
  gatewayMerchantId?: string;
  paymentMethod: 'CARD';
  paymentMethodDetails: {
    pan: string;
    expirationMonth: number;
    expirationYear: number;
    authMethod: 'PAN_ONLY' | 'CRYPTOGRAM_3DS';
    cryptogram?: string;
    eciIndicator?: string;
  };
}

const messageSchema = Joi.object<Message>({
  messageExpiration: Joi.string()
    .pattern(/^\d{1,15}$/)
    .required(),
  gatewayMerchantId: Joi.string().max(255),
  paymentMethod: Joi.valid('CARD').required(),
  paymentMethodDetails: Joi.object({
    pan: Joi.string()
      .pattern(/^\d{12,19}$/)
      .creditCard()
      .required(),
    expirationMonth: Joi.number().integer().min(1).max(12).required(),
    expirationYear: Joi.number().integer().min(2000).max(2099).required(),
    authMethod: Joi.valid('PAN_ONLY', 'CRYPTOGRAM_3DS').required(),
    cryptogram: Joi.string().base64().max(128).when('authMethod', { is: 'CRYPTOGRAM_3DS', then: Joi.required() }),
    eciIndicator: Joi.string()
      .allow('')
      .pattern(/^\d{1,2}$/),
  })
    .unknown()
    .required(),
}).unknown();

const recipientIdOf = (merchantId: string): string => `merchant:${merchantId}`;

/** Opens a token of the first kind. Refuses it when anything is wrong; throws anything when its bytes make no sense. */
export function openEcv2(
  token: Ecv2Token,
  keys: Ecv2Keys,
  { merchantId }: DeviceWalletPayment,
  now: number,
): DeviceWalletCard {
  const intermediateKey = trustedIntermediateKey(token, keys, now);
  if (!isSignedFor(recipientIdOf(merchantId), token, intermediateKey)) refuseSignature(token, keys, intermediateKey);
  const message = readJson(messageSchema, decryptMessage(token, keys), 'the message');
  if (Number(message.messageExpiration) <= now) refuseToken('has expired');
  if (message.gatewayMerchantId !== undefined && message.gatewayMerchantId !== merchantId) refuseMerchant();
  const { pan, expirationMonth, expirationYear, authMethod, cryptogram, eciIndicator } = message.paymentMethodDetails;
  return {
    number: pan,
    expiryMonth: String(expirationMonth).padStart(2, '0'),
    expiryYear: String(expirationYear),
    cryptogram: authMethod === 'CRYPTOGRAM_3DS' ? cryptogram : undefined,
    tokenHash: createHash('sha256').update(token.signedMessage).digest('hex'),
    eci: eciIndicator || undefined,
  };
}

/**
 * The merchant is part of what is signed, so a token for another merchant and an altered one fail alike. When the token
 * itself names a merchant under whom the signature is good, it is the former.
 */
function refuseSignature(token: Ecv2Token, keys: Ecv2Keys, intermediateKey: KeyObject): never {
  const named = merchantNamedIn(token, keys);
  if (named !== undefined && isSignedFor(recipientIdOf(named), token, intermediateKey)) refuseMerchant();
  refuseToken('has a wrong signature');
}

/** Nobody vouches for this message: it may be anything. */
function merchantNamedIn(token: Ecv2Token, keys: Ecv2Keys): string | undefined {
  try {
    return readJson(messageSchema, decryptMessage(token, keys), 'the message').gatewayMerchantId;
  } catch {
    return undefined;
  }
}

function refuseMerchant(): never {
  refuseToken('was issued for another merchant');
}
