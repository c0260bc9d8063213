import Joi from 'joi';
import { ORDER_STATUSES, type OrderStatus } from '../../domain/states/order';
import { amount, anyId, currency, id, instant, type Paging, paging } from '../server/conventions';

const MAX_LINES = 100;
const MAX_QUANTITY = 1_000_000;

const status = () => Joi.string().valid(...ORDER_STATUSES);
const reference = () => Joi.string().min(1).max(64).description('Your own name for the order').example('cart-4711');
const description = () => Joi.string().min(1).max(200).example('Delivery');
const quantity = () => Joi.number().integer().min(1).max(MAX_QUANTITY).example(2);
const unitPrice = () => amount({ above: 2 }).description('Price of one piece').example('4.50');

/** One line of a request: an item, or something else with its price. */
export type LineBody = { itemId: string; quantity: number } | { description: string; amount: string; quantity: number };

const line = () =>
  Joi.object<LineBody>({
    itemId: id('item')
      .example('itm_01jcxk3v8pe4xaz1w5kq9d2b7m')
      .description('An approved item. Its price of now counts'),
    description: description().description('What is ordered, if it is no item'),
    amount: unitPrice(),
    quantity: quantity().required(),
  })
    .xor('itemId', 'description')
    .with('description', 'amount')
    .without('itemId', 'amount');

export interface OrderBody {
  currency: string;
  lines: LineBody[];
  reference?: string;
}
export const orderBody = Joi.object<OrderBody>({
  currency: currency().required(),
  lines: Joi.array().items(line()).min(1).max(MAX_LINES).required(),
  reference: reference(),
});

export interface OrderParams {
  orderId: string;
}
export const orderParams = Joi.object<OrderParams>({ orderId: anyId() });

export interface OrderQuery extends Paging {
  status?: OrderStatus;
  reference?: string;
  organizationId?: string;
  review?: boolean;
}
export const orderQuery = Joi.object<OrderQuery>({
  ...paging(),
  status: status(),
  reference: reference(),
  organizationId: id('organization').description('Only orders of this seller'),
  review: Joi.boolean().description('Only orders that were paid when their pieces were gone, or only the others'),
});

export const orderSchema = Joi.object({
  orderId: id('order').required(),
  organizationId: id('organization').required(),
  status: status().required(),
  currency: currency().required(),
  total: amount().required().example('29.50'),
  lines: Joi.array()
    .items(
      Joi.object({
        itemId: id('item'),
        sku: Joi.string().example('MUG-BLUE'),
        description: description().required().description('The name of the item when it was ordered, or your own text'),
        amount: unitPrice().required(),
        quantity: quantity().required(),
        total: amount({ above: 2 }).required().example('9.00'),
      }),
    )
    .required(),
  reference: reference(),
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
