import Joi from 'joi';
import { PAYMENT_KINDS, type PaymentKind } from '../../domain/connector';
import { PAYMENT_STATUSES, type PaymentStatus } from '../../domain/states/payment';
import { amount, currency, formed, instant, methodId, paging, say } from '../server/conventions';

export interface PaymentListQuery {
  limit: number;
  cursor?: string;
  search?: string;
  status?: PaymentStatus[];
  currency?: string;
  amount?: string;
  minAmount?: string;
  maxAmount?: string;
  lastFour?: string;
  kind?: PaymentKind;
  methodId?: number;
  from?: string;
  to?: string;
  customerId?: string;
  linkId?: string;
  orderId?: string;
}

const isStatus = (word: string): word is PaymentStatus => (PAYMENT_STATUSES as readonly string[]).includes(word);

const statuses = Joi.string()
  .max(200)
  .custom((text: string, helpers) => {
    const words = [...new Set(text.split(','))];
    return words.every(isStatus) ? words : say(helpers, `must be one or more of ${PAYMENT_STATUSES.join(', ')}`);
  })
  .meta({ pattern: `^(?:${PAYMENT_STATUSES.join('|')})(?:,(?:${PAYMENT_STATUSES.join('|')}))*$` })
  .example('captured,settled', { override: true })
  .description(`One status, or several with commas between them: ${PAYMENT_STATUSES.join(', ')}`);

export const paymentListQuery = Joi.object<PaymentListQuery>({
  ...paging(),
  search: Joi.string()
    .trim()
    .min(1)
    .max(255)
    .description(
      'Any reference: the beginning of a `merchantTransactionId` (if very many begin so, only the first of them, in the order of ' +
        'their text); the id of a payment, refund, capture, cancellation, ' +
        'dispute, top-up, order, link or customer; what a processor calls the payment or the case of its dispute; the ' +
        'reference of a bank transfer',
    ),
  status: statuses,
  currency: currency(),
  amount: amount().description('Exactly this amount. Needs `currency`'),
  minAmount: amount({ zero: true }).description('This amount or more. Needs `currency`'),
  maxAmount: amount().description('This amount or less. Needs `currency`'),
  lastFour: formed(/^\d{4}$/, 'must be the last four digits of a card').description('Last four digits of the card'),
  kind: Joi.string().valid(...PAYMENT_KINDS),
  methodId: methodId(),
  from: instant().description('Created at this time or later'),
  to: instant().description('Created before this time'),
  customerId: Joi.string().max(100).description('Only payments of this customer'),
  linkId: Joi.string().max(100).description('Only payments by this payment link'),
  orderId: Joi.string().max(100).description('Only payments for this order'),
})
  .with('amount', 'currency')
  .with('minAmount', 'currency')
  .with('maxAmount', 'currency')
  .without('amount', ['minAmount', 'maxAmount']);
