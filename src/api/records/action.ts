import Joi from 'joi';
import { instant } from '../server/conventions';

/** `data.action`: what the payer must do next. */
export const actionSchema = Joi.object({
  type: Joi.string().valid('redirect', 'qr', 'instructions').required(),
  url: Joi.string(),
  method: Joi.string().valid('GET', 'POST'),
  fields: Joi.object().pattern(Joi.string(), Joi.string()),
  expiresAt: instant().required(),
});
