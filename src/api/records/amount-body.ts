import Joi from 'joi';
import { amount, freeText } from '../server/conventions';

/** The bodies of a capture, a refund and a cancellation of a payment or a top-up. */
export interface AmountBody {
  amount?: string;
  reason?: string;
}
export const captureBody = Joi.object<AmountBody>({ amount: amount() });
export const refundBody = Joi.object<AmountBody>({ amount: amount(), reason: freeText(255).allow('') });
export const cancelBody = Joi.object({});
