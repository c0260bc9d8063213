import Joi from 'joi';
import { MAX_IMAGES } from '../../commerce/inventory/images';
import { MAX_PIECES } from '../../commerce/inventory/item';
import { MOVEMENT_KINDS } from '../../commerce/inventory/stock';
import { DOMAIN_ERROR_CODES } from '../../domain/errors';
import { IMAGE_TYPES } from '../../domain/file-type';
import { ITEM_DECISIONS, ITEM_STATUSES, type ItemDecision, type ItemStatus } from '../../domain/states/item';
import { amount, anyId, currency, id, instant, listOf, type Paging, paging } from '../server/conventions';

const MAX_DECIDED = 200;

const text = (max: number) => Joi.string().min(1).max(max);
const status = () => Joi.string().valid(...ITEM_STATUSES);
const sku = () => text(64).example('MUG-BLUE').description('Unique in the organization');
const name = () => text(200).example('Blue mug');
const description = () => Joi.string().allow('').max(2_000).example('Holds 300 ml. Safe in the dishwasher.');
const price = () => amount().description('Of one piece').example('12.50');
const pieces = () => Joi.number().integer().min(0).max(MAX_PIECES);
const reason = () => text(500);
const image = () => id('file').example('fil_01jcxk3v8pe4xaz1w5kq9d2b7m');
const images = () =>
  Joi.array()
    .items(image())
    .max(MAX_IMAGES)
    .unique()
    .description('Ids of uploaded images, in the order in which buyers see them');

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
  sku: sku().required(),
  name: name().required(),
  description: description(),
  price: price().required(),
  currency: currency().required(),
  quantity: pieces().default(0).description('Pieces on hand').example(25),
  images: images().default([]),
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
  sku: sku(),
  name: name(),
  description: description(),
  price: price(),
  currency: currency().description('Only together with `price`'),
  quantity: pieces().description('Pieces on hand. Not less than `reserved`'),
  images: images().description('The whole list. `[]` removes all'),
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
  status: status(),
  currency: currency(),
  search: text(100).description('Part of the sku or name, in capital or small letters').example('mug'),
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
  reason: reason().required().description('The seller reads it').example('The picture shows another item.'),
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
  reason: reason()
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
    .messages({ 'any.invalid': 'must not be 0' })
    .required()
    .description('Pieces to add, or with a minus to take away')
    .example(-2),
  reason: reason().required().example('Two were broken.'),
});

export const itemSchema = Joi.object({
  itemId: id('item').required(),
  organizationId: id('organization').required(),
  status: status().required(),
  reason: reason().description('Why it was rejected'),
  sku: sku().required(),
  name: name().required(),
  description: description(),
  price: price().required(),
  currency: currency().required(),
  quantity: pieces().required().description('Pieces on hand'),
  reserved: pieces().required().description('How many of them open orders hold'),
  available: pieces().required().description('`quantity` less `reserved`'),
  images: images().required(),
  version: Joi.number().integer().required().description('Goes up with each change of what buyers see'),
  decidedBy: Joi.string(),
  decidedAt: instant(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});

export const approvalsSchema = Joi.object({
  data: Joi.array()
    .items(
      Joi.object({
        itemId: id('item').required(),
        status: status().description('Present if the decision took effect'),
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
  imageId: image().required(),
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
