import Joi from 'joi';

/** The fields of the payer's browser that EMV 3-D Secure needs. */
export const browserSchema = Joi.object({
  acceptHeader: Joi.string().max(2048),
  userAgent: Joi.string().max(2048),
  language: Joi.string().max(8),
  colorDepth: Joi.number().integer().min(1).max(64),
  screenHeight: Joi.number().integer().min(0).max(100_000),
  screenWidth: Joi.number().integer().min(0).max(100_000),
  timeZoneOffset: Joi.number().integer().min(-1440).max(1440),
  javaEnabled: Joi.boolean(),
  javascriptEnabled: Joi.boolean(),
  ipAddress: Joi.string().ip({ cidr: 'forbidden' }),
});
