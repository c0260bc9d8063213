import Joi from 'joi';
import { MAX_PIECES } from '../../commerce/inventory/item';
import { MOVEMENT_KINDS } from '../../commerce/inventory/stock';
import { DOMAIN_ERROR_CODES } from '../../domain/errors';
import { IMAGE_TYPES } from '../../domain/file-type';
import { ITEM_DECISIONS, type ItemDecision, type ItemStatus } from '../../domain/states/item';
import {
  itemDescription,
  itemImage,
  itemImages,
  itemName,
  itemPrice,
  itemReason,
  itemSku,
  itemStatus,
  pieces,
} from '../records/item';
import { anyId, currency, id, instant, listOf, type Paging, paging, saying } from '../server/conventions';

const MAX_DECIDED = 200;

export interface ItemBody {
  sku: string;
  name: string;
  description?: string;
  price: string;
  currency: string;
  quantity: number;
  images: string[];
}
export const itemBody = Joi.object<ItemBody>({
  sku: itemSku().required(),
  name: itemName().required(),
  description: itemDescription(),
  price: itemPrice().required(),
  currency: currency().required(),
  quantity: pieces().default(0).description('Pieces on hand').example(25),
  images: itemImages().default([]),
});

export interface ItemChangeBody {
  sku?: string;
  name?: string;
  description?: string;
  price?: string;
  currency?: string;
  quantity?: number;
  images?: string[];
}
export const itemChangeBody = Joi.object<ItemChangeBody>({
  sku: itemSku(),
  name: itemName(),
  description: itemDescription(),
  price: itemPrice(),
  currency: currency().description('Only together with `price`'),
  quantity: pieces().description('Pieces on hand. Not less than `reserved`'),
  images: itemImages().description('The whole list. `[]` removes all'),
}).with('currency', 'price');

export interface ItemParams {
  itemId: string;
}
export const itemParams = Joi.object<ItemParams>({ itemId: anyId() });

export interface ImageParams extends ItemParams {
  imageId: string;
}
export const imageParams = Joi.object<ImageParams>({ itemId: anyId(), imageId: anyId() });

export interface ItemQuery extends Paging {
  status?: ItemStatus;
  currency?: string;
  search?: string;
  organizationId?: string;
}
export const itemQuery = Joi.object<ItemQuery>({
  ...paging(),
  status: itemStatus(),
  currency: currency(),
  search: Joi.string()
    .min(1)
    .max(100)
    .description('Part of the sku or name, in capital or small letters')
    .example('mug'),
  organizationId: id('organization').description('Only items of this seller'),
});

export interface ApproveBody {
  version?: number;
}
const version = () =>
  Joi.number()
    .integer()
    .min(1)
    .max(2_147_483_647)
    .description('The `version` that you have looked at. The answer is 409 if the item has changed since');
export const approveBody = Joi.object<ApproveBody>({ version: version() });

export interface RejectBody extends ApproveBody {
  reason: string;
}
export const rejectBody = Joi.object<RejectBody>({
  reason: itemReason().required().description('The seller reads it').example('The picture shows another item.'),
  version: version(),
});

export interface ApprovalsBody {
  decision: ItemDecision;
  itemIds: string[];
  reason?: string;
}
export const approvalsBody = Joi.object<ApprovalsBody>({
  decision: Joi.string()
    .valid(...ITEM_DECISIONS)
    .required(),
  itemIds: Joi.array().items(id('item')).min(1).max(MAX_DECIDED).unique().required(),
  reason: itemReason()
    .when('decision', { is: 'rejected', then: Joi.required(), otherwise: Joi.forbidden() })
    .description('Required for `rejected`. The sellers read it'),
});

export interface AdjustBody {
  delta: number;
  reason: string;
}
export const adjustBody = Joi.object<AdjustBody>({
  delta: Joi.number()
    .integer()
    .min(-MAX_PIECES)
    .max(MAX_PIECES)
    .invalid(0)
    .alter(saying({ 'any.invalid': 'must not be 0' }))
    .required()
    .description('Pieces to add, or with a minus to take away')
    .example(-2),
  reason: itemReason().required().example('Two were broken.'),
});

export const approvalsSchema = Joi.object({
  data: Joi.array()
    .items(
      Joi.object({
        itemId: id('item').required(),
        status: itemStatus().description('Present if the decision took effect'),
        error: Joi.object({
          code: Joi.string()
            .valid(...DOMAIN_ERROR_CODES)
            .required(),
          message: Joi.string().required(),
        }).description('Present if it did not'),
      }),
    )
    .required()
    .description('One result for each item, in the order of the request'),
});

export const imageSchema = Joi.object({
  imageId: itemImage().required(),
  contentType: Joi.string()
    .valid(...IMAGE_TYPES)
    .required(),
  sizeBytes: Joi.number().integer().required(),
  createdAt: instant().required(),
});

const movementSchema = Joi.object({
  movementId: id('stockMovement').required(),
  itemId: id('item').required(),
  kind: Joi.string()
    .valid(...MOVEMENT_KINDS)
    .required()
    .description(
      '`added` and `adjusted` change `quantity`; `reserved` and `released` change `reserved`; `sold` takes from both',
    ),
  quantity: Joi.number().integer().required().description('Pieces. An adjustment can be negative'),
  orderId: id('order').description('The order that reserved, released or sold them'),
  reason: Joi.string(),
  actor: Joi.string().description('Who did it. Absent if it follows from the order'),
  createdAt: instant().required(),
});
export const movementsSchema = listOf(movementSchema);
