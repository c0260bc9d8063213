import Joi from 'joi';
import { check, checkParams, prepare } from '../../../../src/api/server/middleware/validation';
import type { Route } from '../../../../src/api/server/route';
import type { FieldError } from '../../../../src/domain/errors';

/** A path whose parameters are plain texts is checked without its schema, and must be answered as by the schema. */

const validatorOf = (params: Joi.ObjectSchema) => prepare({ params } as unknown as Route);
const plain = Joi.object({ thingId: Joi.string().max(5).required().description('A thing') });

test.each(['a', 'abcde', 'abcdef', '', ' a ', '😀😀', '😀😀😀', '\u0000'])(
  '%j is judged as by the schema',
  (thingId) => {
    const validator = validatorOf(plain);
    const [quick, slow]: FieldError[][] = [[], []];
    const [value, expected] = [
      checkParams(validator, { thingId }, quick!),
      check(validator.params, { thingId }, 'path', slow!),
    ];
    expect(validator.texts).toEqual([['thingId', 5]]);
    expect([value, quick]).toEqual([expected, slow]);
  },
);

test.each([
  Joi.object({ thingId: Joi.string().required() }),
  Joi.object({ thingId: Joi.string().max(5) }),
  Joi.object({ thingId: Joi.string().max(5).min(2).required() }),
  Joi.object({ thingId: Joi.string().max(5).lowercase().required() }),
  Joi.object({ thingId: Joi.string().max(5).valid('a').required() }),
  Joi.object({ thingId: Joi.string().max(5).required().allow('') }),
  Joi.object({ thingId: Joi.string().max(5).required().default('a') }),
  Joi.object({ thingId: Joi.number().max(5).required() }),
  Joi.object({ thingId: Joi.string().max(5).required() }).custom((value) => value),
])('a schema that says more is asked', (schema) => {
  expect(validatorOf(schema).texts).toBeUndefined();
});
