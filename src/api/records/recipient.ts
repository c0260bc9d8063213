import Joi from 'joi';
import { ALIAS_FORM, parseAlias } from '../../domain/alias';
import { ID_PREFIXES } from '../../domain/ids';
import { freeText, id, say } from '../server/conventions';

export const LONGEST_ALIAS = 254;

const CUSTOMER_ID = new RegExp(`^${ID_PREFIXES.customer}_`);
const customerId = id('customer');

/** A customer of the tenant: its id or an alias. */
export const somebody = () =>
  Joi.string()
    .max(LONGEST_ALIAS)
    .custom((value: string, helpers) => {
      const isKnown = CUSTOMER_ID.test(value) ? !customerId.validate(value).error : parseAlias(value);
      return isKnown ? value : say(helpers, `must be a customerId, or ${ALIAS_FORM.replace('must be ', '')}`);
    })
    .description('A customerId, or an alias: an e-mail address, a telephone number in international form, or a handle')
    .example('@grace');

export const note = () => freeText(140).allow('').description('Text for the sender and the recipient');
