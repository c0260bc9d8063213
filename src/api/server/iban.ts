import { electronicFormatIBAN, isValidIBAN } from 'ibantools';
import Joi from 'joi';
import { say } from './conventions';

/** An account number (ISO 13616). Spaces are allowed. The value becomes upper case without spaces. */
export function iban(): Joi.StringSchema {
  return Joi.string()
    .max(42)
    .custom((text: string, helpers) => {
      const compact = electronicFormatIBAN(text);
      return compact && isValidIBAN(compact)
        ? compact
        : say(helpers, 'must be an IBAN, such as DE89370400440532013000');
    })
    .meta({ pattern: '^[A-Za-z0-9 -]{15,42}$' })
    .example('DE89370400440532013000');
}
