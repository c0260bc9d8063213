import Joi from 'joi';
import type { OrderStatus } from '../../domain/states/order';
import { lineDescription, lineQuantity, orderReference, orderStatus, unitPrice } from '../records/order';
import { anyId, currency, id, type Paging, paging } from '../server/conventions';

const MAX_LINES = 100;

/** One line of a request: an item, or something else with its price. */
export type LineBody = { itemId: string; quantity: number } | { description: string; amount: string; quantity: number };

const line = () =>
  Joi.object<LineBody>({
    itemId: id('item')
      .example('itm_01jcxk3v8pe4xaz1w5kq9d2b7m')
      .description('An approved item. Its price of now counts'),
    description: lineDescription().description('What is ordered, if it is no item'),
    amount: unitPrice(),
    quantity: lineQuantity().required(),
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
  reference: orderReference(),
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
  status: orderStatus(),
  reference: orderReference(),
  organizationId: id('organization').description('Only orders of this seller'),
  review: Joi.boolean().description('Only orders that were paid when their pieces were gone, or only the others'),
});
