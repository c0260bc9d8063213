import Joi from 'joi';
import { RESULT_DESCRIPTIONS } from '../../domain/result-codes';

export const resultSchema = Joi.object({
  code: Joi.number()
    .integer()
    .valid(...Object.keys(RESULT_DESCRIPTIONS).map(Number))
    .required(),
  description: Joi.string().required(),
});
