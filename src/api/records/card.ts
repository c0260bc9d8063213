import Joi from 'joi';
import type { CardData } from '../../domain/connector';
import { formed, nameText, saying, text } from '../server/conventions';

/** A card in a request. */
export const cardSchema = Joi.object<CardData>({
  number: formed(/^\d{12,19}$/, 'must be a string of 12 to 19 digits, without spaces or dashes')
    .creditCard()
    .required()
    .alter(saying({ 'string.creditCard': 'is not a card number: its check digit is wrong' }))
    .example('4111111111111111'),
  holder: nameText(100).min(1).required(),
  expiryMonth: formed(/^(0[1-9]|1[0-2])$/, 'must be a string of two digits, "01" to "12"')
    .required()
    .example('12'),
  expiryYear: formed(/^\d{4}$/, 'must be a string of four digits, such as "2030"')
    .required()
    .example('2030'),
  cvv: cvv().required().example('123'),
});

export function cvv(): Joi.StringSchema {
  return formed(/^\d{3,4}$/, 'must be a string of three or four digits');
}

/** A card in an answer. */
export const shownCardSchema = Joi.object({
  bin: Joi.string().required(),
  last4Digits: Joi.string().required(),
  holder: text(100).required(),
  expiryMonth: Joi.string().required(),
  expiryYear: Joi.string().required(),
});
