import Joi from 'joi';
import { PAYMENT_KINDS } from '../../domain/connector';
import { PAYMENT_LINK_STATUSES } from '../../domain/states/payment-link';
import { currency, id, instant, nameText, saying } from '../server/conventions';

export const linkStatus = () => Joi.string().valid(...PAYMENT_LINK_STATUSES);
export const linkPurpose = () => Joi.string().valid('payment', 'topup');
export const linkTitle = () => nameText(120).min(1).example('Consulting in November');
/** A wallet's token comes from a device, not from a page. */
export const linkKind = () => Joi.string().valid(...PAYMENT_KINDS.filter((one) => one !== 'wallet'));

export const customField = Joi.object({
  name: Joi.string()
    .pattern(/^[a-z][a-z0-9_]{0,39}$/)
    .alter(saying({ 'string.pattern.base': 'must be a small letter, then small letters, digits and _' }))
    .required()
    .example('size'),
  label: nameText(80).min(1).required().example('Size of your shirt'),
  required: Joi.boolean().default(false),
});

const shownLine = Joi.alternatives(
  Joi.object({ itemId: Joi.string().required(), quantity: Joi.number().integer().required() }),
  Joi.object({
    description: Joi.string().required(),
    amount: Joi.string().required(),
    quantity: Joi.number().integer().required(),
  }),
);

export const paymentLinkSchema = Joi.object({
  linkId: id('paymentLink').required(),
  status: linkStatus().required(),
  statusDetail: Joi.string().required(),
  url: Joi.string().required().description('Where buyers pay. Whoever has it can pay'),
  purpose: linkPurpose().required(),
  customerId: Joi.string(),
  title: linkTitle().required(),
  description: Joi.string(),
  reference: Joi.string(),
  currency: currency().required(),
  orderId: Joi.string(),
  lines: Joi.array().items(shownLine),
  amount: Joi.object({ min: Joi.string().required(), max: Joi.string().required() }),
  maxPayments: Joi.number().integer(),
  kinds: Joi.array().items(linkKind()),
  customFields: Joi.array().items(customField).required(),
  notificationUrl: Joi.string(),
  terminalId: Joi.string().required(),
  expiresAt: instant().required(),
  approval: Joi.object({
    needed: Joi.number().integer().required().description('How many people have to approve it'),
    expiresAt: instant(),
    decisions: Joi.array()
      .items(
        Joi.object({
          by: Joi.string().required(),
          decision: Joi.string().valid('approve', 'reject').required(),
          onBehalfOf: Joi.string(),
          reason: Joi.string(),
          at: instant().required(),
        }),
      )
      .required(),
  }).required(),
  createdBy: Joi.string().required(),
  createdAt: instant().required(),
  updatedAt: instant().required(),
});
