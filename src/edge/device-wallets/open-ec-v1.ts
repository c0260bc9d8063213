import { createHash } from 'node:crypto';
import Joi from 'joi';
import { currencyNumber } from '../../domain/currency-number';
import type { Money } from '../../domain/money';
import { decryptData, signedContent, signingTimeOf } from './ec-v1';
import { readJson } from './json';
import type { EcV1Keys } from './keys';
import type { DeviceWalletCard, DeviceWalletPayment } from './payment';
import { refuseToken } from './refusal';
import type { EcV1Token } from './schema';

/** How far the wallet's clock may be ahead of ours, in milliseconds. */
const CLOCK_SKEW_MS = 30_000;

interface PaymentData {
  applicationPrimaryAccountNumber: string;
  applicationExpirationDate: string;
  currencyCode: string;
  transactionAmount: number;
  cardholderName?: string;
  paymentDataType: '3DSecure';
  paymentData: { onlinePaymentCryptogram: string; eciIndicator?: string };
}

const paymentDataSchema = Joi.object<PaymentData>({
  applicationPrimaryAccountNumber: Joi.string()
    .pattern(/^\d{12,19}$/)
    .creditCard()
    .required(),
  applicationExpirationDate: Joi.string()
    .pattern(/^\d{2}(?:0[1-9]|1[0-2])\d{2}$/)
    .required(),
  currencyCode: Joi.string()
    .pattern(/^\d{3}$/)
    .required(),
  transactionAmount: Joi.number().integer().min(0).required(),
  cardholderName: Joi.string().allow('').max(100),
  paymentDataType: Joi.valid('3DSecure').required(),
  paymentData: Joi.object({
    onlinePaymentCryptogram: Joi.string().base64().max(128).required(),
    eciIndicator: Joi.string()
      .allow('')
      .pattern(/^\d{1,2}$/),
  })
    .unknown()
    .required(),
}).unknown();

/** Opens a token of the second kind. Refuses it when anything is wrong; throws anything when its bytes make no sense. */
export function openEcV1(
  token: EcV1Token,
  keys: EcV1Keys,
  { merchantId, money }: DeviceWalletPayment,
  { now, ttlMs }: { now: number; ttlMs: number },
): DeviceWalletCard {
  const signedAt = signingTimeOf(token, keys.rootCertificates, now);
  if (!(now < signedAt + ttlMs)) refuseToken('has expired');
  if (signedAt > now + CLOCK_SKEW_MS) refuseToken('is signed at a time that is yet to come');
  const merchantHash = createHash('sha256').update(merchantId).digest();
  const data = readJson(paymentDataSchema, decryptData(token, keys, merchantHash), 'the payment data');
  requireSameMoney(data, money);
  const { applicationExpirationDate, cardholderName, paymentData } = data;
  return {
    number: data.applicationPrimaryAccountNumber,
    holder: cardholderName || undefined,
    expiryMonth: applicationExpirationDate.slice(2, 4),
    expiryYear: `20${applicationExpirationDate.slice(0, 2)}`,
    cryptogram: paymentData.onlinePaymentCryptogram,
    tokenHash: createHash('sha256').update(signedContent(token)).digest('hex'),
    eci: paymentData.eciIndicator || undefined,
  };
}

/** The payer has consented to this amount in this currency, and to no other. */
function requireSameMoney({ currencyCode, transactionAmount }: PaymentData, money: Money): void {
  if (currencyCode !== currencyNumber(money.currency)) refuseToken('was issued for another currency than the payment');
  // Below 2^53, or the schema would have refused it: exact.
  if (BigInt(transactionAmount) !== money.amountMinor) refuseToken('was issued for another amount than the payment');
}
