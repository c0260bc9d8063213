import Joi from 'joi';
import { ORDER_STATUSES } from '../../domain/states/order';
import { amount, currency, id, instant, lineText, nameText } from '../server/conventions';

const MAX_QUANTITY = 1_000_000;

export const orderStatus = () => Joi.string().valid(...ORDER_STATUSES);
export const orderReference = () => lineText(64).min(1).description('Your own name for the order').example('cart-4711');
export const lineDescription = () => nameText(200).min(1).example('Delivery');
export const lineQuantity = () => Joi.number().integer().min(1).max(MAX_QUANTITY).example(2);
export const unitPrice = () => amount({ above: 2 }).description('Price of one piece').example('4.50');

export const orderSchema = Joi.object({
  orderId: id('order').required(),
  organizationId: id('organization').required(),
  status: orderStatus().required(),
  currency: currency().required(),
  total: amount().required().example('29.50'),
  lines: Joi.array()
    .items(
      Joi.object({
        itemId: id('item'),
        sku: Joi.string().example('MUG-BLUE'),
        description: lineDescription()
          .required()
          .description('The name of the item when it was ordered, or your own text'),
        amount: unitPrice().required(),
        quantity: lineQuantity().required(),
        total: amount({ above: 2 }).required().example('9.00'),
      }),
    )
    .required(),
  reference: orderReference(),
  reservedUntil: instant().description('Until then the pieces are held, and longer while somebody is paying'),
  linkId: Joi.string().description('The payment link that the order was made through'),
  paymentId: id('payment').description('The payment that paid it'),
  review: Joi.object({ reason: Joi.string().required(), since: instant().required() }).description(
    'It was paid when its pieces were gone. Count pieces in, or refund the payment',
  ),
  closedAt: instant().description('When it was paid, expired or cancelled'),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});
