import Joi from 'joi';
import { MAX_IMAGES } from '../../commerce/inventory/images';
import { MAX_PIECES } from '../../commerce/inventory/item';
import { ITEM_STATUSES } from '../../domain/states/item';
import { amount, currency, freeText, id, instant, lineText, nameText } from '../server/conventions';

export const itemStatus = () => Joi.string().valid(...ITEM_STATUSES);
export const itemSku = () => lineText(64).min(1).example('MUG-BLUE').description('Unique in the organization');
export const itemName = () => nameText(200).min(1).example('Blue mug');
export const itemDescription = () => Joi.string().allow('').max(2_000).example('Holds 300 ml. Safe in the dishwasher.');
export const itemPrice = () => amount().description('Of one piece').example('12.50');
export const pieces = () => Joi.number().integer().min(0).max(MAX_PIECES);
export const itemReason = () => freeText(500).min(1);
export const itemImage = () => id('file').example('fil_01jcxk3v8pe4xaz1w5kq9d2b7m');
export const itemImages = () =>
  Joi.array()
    .items(itemImage())
    .max(MAX_IMAGES)
    .unique()
    .description('Ids of uploaded images, in the order in which buyers see them');

export const itemSchema = Joi.object({
  itemId: id('item').required(),
  organizationId: id('organization').required(),
  status: itemStatus().required(),
  reason: itemReason().description('Why it was rejected'),
  sku: itemSku().required(),
  name: itemName().required(),
  description: itemDescription(),
  price: itemPrice().required(),
  currency: currency().required(),
  quantity: pieces().required().description('Pieces on hand'),
  reserved: pieces().required().description('How many of them open orders hold'),
  available: pieces().required().description('`quantity` less `reserved`'),
  images: itemImages().required(),
  version: Joi.number().integer().required().description('Goes up with each change of what buyers see'),
  decidedBy: Joi.string(),
  decidedAt: instant(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});
